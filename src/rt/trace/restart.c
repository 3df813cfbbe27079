/*
 * restart - SA_RESTART does not restart everything: poll, select, epoll_wait, sleeps and timed
 * waits come back with EINTR after any handler. A program without handlers of its own has
 * never seen that, so we undo it: the thread is sent back to the system call.
 *
 * In the interrupted context the result is there already (rax = -EINTR) and the call's number
 * is lost, but libc loads it with "mov $number, %eax" right before the syscall instruction.
 * Where it does not, EINTR stays. The signal comes while the thread is on the processor, so it
 * was at the very beginning of its wait: the same timeout again is the same end but for
 * microseconds.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "rt/trace/sampler.h"

static bool waits(uint32_t number)
{
	switch (number) {
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_futex:
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_io_getevents:
	case SYS_accept:
	case SYS_accept4:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
		return true;
	default:
		return false;
	}
}

void sampler_restart(void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *ip = (const uint8_t *)registers[REG_RIP];
	uint32_t number;

	if (likely(registers[REG_RAX] != -EINTR) || ip[-2] != 0x0f || ip[-1] != 0x05 || ip[-7] != 0xb8)
		return;
	number = *(const uint32_t __attribute__((aligned(1), may_alias)) *)(ip - 6);
	if (!waits(number))
		return;
	registers[REG_RAX] = number;
	registers[REG_RIP] -= 2;
	trace_count(TRACE_RESTARTED);
}
