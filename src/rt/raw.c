/*
 * raw - system calls without libc: no errno, no cancellation point, no interposition.
 *
 * The only file with a syscall instruction (besides sched's stack switching, if any).
 * Results are the kernel's: -errno on failure.
 */
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "rt/rt.h"

static long raw6(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall" : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

long rt_syscall(long number, ...)
{
	va_list arguments;
	long a[6];

	/* Reading six where fewer were passed only reads registers and our own frame. */
	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	return raw6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void rt_futex_wait(uint32_t *word, uint32_t value)
{
	raw6(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}

void rt_futex_wake(uint32_t *word, uint32_t count)
{
	raw6(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, count, 0, 0, 0);
}

void rt_exit_now(int status)
{
	for (;;)
		raw6(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static void put_text(const char *text)
{
	raw6(SYS_write, 2, (long)text, (long)rt_strlen(text), 0, 0, 0);
}

void rt_die(const char *text, const char *name)
{
	put_text("deadheat: ");
	put_text(text);
	put_text(name);
	put_text("\n");
	rt_exit_now(1);
}

/*
 * Registering is once per process and survives fork; kernels before 4.16, and sandboxes,
 * refuse. Unregistered, the command answers EPERM: so try, register, try again.
 */
bool rt_sync_cores(void)
{
	long result = raw6(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0, 0, 0);

	if (result != -EPERM)
		return result == 0;
	raw6(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0, 0, 0);
	return raw6(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0, 0, 0) == 0;
}
