/*
 * watchdog - wall clock of a trial that runs without a fork server (which watches itself).
 *
 * A loop over plain memory reaches no scheduling point: nobody can take the turn away, and
 * the trial never ends. A thread of our own waits for the time to pass and ends it. It is
 * made by a bare clone: libc does not know it, the program cannot see it as one of its
 * threads, block its signals or join it. It shares the creator's thread pointer, so it
 * touches nothing thread-local and makes bare system calls only.
 */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "rt/sched/turn.h"

#define WATCHDOG_STACK (64u << 10)

static void watchdog_run(void)
{
	struct timespec rest = { (time_t)(rt_plan->wall_ms / 1000), (long)(rt_plan->wall_ms % 1000) * 1000000 };

	while (rt_syscall(SYS_nanosleep, &rest, &rest) < 0)
		;
	rt_count(WIRE_WATCHDOG);
	sched_write_end(WIRE_END_WATCHDOG, 0);
	rt_wire->state = WIRE_ENDED;
	rt_exit_now(1);
}

/* The child returns from the system call on an empty stack: it must call, never return. */
static long clone_watchdog(void *stack_top)
{
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	long result;

	__asm__ volatile("xorl %%edx, %%edx\n\txorl %%r10d, %%r10d\n\txorl %%r8d, %%r8d\n\t"
			 "syscall\n\t"
			 "testq %%rax, %%rax\n\tjnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\tcall *%3\n\tud2\n"
			 "1:"
			 : "=a"(result)
			 : "0"((long)SYS_clone), "D"(flags), "r"(watchdog_run), "S"(stack_top)
			 : "rcx", "rdx", "r8", "r10", "r11", "memory");
	return result;
}

void watchdog_start(void)
{
	uint64_t all = ~0ull, old = 0;
	char *stack;

	if (!rt_plan->wall_ms)
		return;
	stack = rt_reserve(WATCHDOG_STACK, false);
	if (!stack)
		return;
	rt_syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof(all));
	if (clone_watchdog(stack + WATCHDOG_STACK) < 0)
		rt_note("no watchdog: the kernel refuses one more thread");
	rt_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(all));
}
