/*
 * sample_timer - the trigger that works everywhere: a CPU-time timer per thread.
 *
 * The kernel looks at CPU-time timers at its tick (HZ=250: every 4 ms on the processor), when
 * the thread is running: about free, and fair to threads by the CPU time they use. Per thread
 * rather than per process, because which thread gets a process's signal is the kernel's choice
 * (before 6.4: the main thread, whoever ran). Decided against: the cpu-clock perf event, 10 us
 * a context switch in a VM (DESIGN 9); CLOCK_MONOTONIC timers, which wake sleeping threads.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt/trace/sampler.h"

/* The kernel's: CPU time of one thread, by its number (linux/posix-timers.h). */
static clockid_t clock_of(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

static bool timer_probe(void)
{
	return true;
}

static void timer_next(struct trace_thread *self, uint64_t ns)
{
	struct itimerspec at = { .it_value = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) } };

	if (sampler_keep(self)[KEEP_ARMED])
		rt_syscall(SYS_timer_settime, (long)sampler_keep(self)[KEEP_HANDLE], 0, &at, NULL);
}

static bool timer_arm(struct trace_thread *self, uint32_t tid)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sampler_signal() };
	int id = 0;

	event._sigev_un._tid = (pid_t)(tid ? tid : self->tid);
	if (rt_syscall(SYS_timer_create, (long)clock_of((uint32_t)event._sigev_un._tid), &event, &id) < 0)
		return false;
	sampler_keep(self)[KEEP_HANDLE] = (uint64_t)id;
	sampler_keep(self)[KEEP_ARMED] = 1;
	timer_next(self, sampler_first(self));
	return true;
}

static void timer_disarm(struct trace_thread *self)
{
	if (!__atomic_exchange_n(&sampler_keep(self)[KEEP_ARMED], 0, __ATOMIC_SEQ_CST)) /* its own thread and a detach may both come */
		return;
	rt_syscall(SYS_timer_delete, (long)sampler_keep(self)[KEEP_HANDLE]);
}

const struct trigger trigger_timer = {
	.kind = TRACE_SAMPLER_TIMER,
	.probe = timer_probe,
	.arm = timer_arm,
	.next = timer_next,
	.disarm = timer_disarm,
};
