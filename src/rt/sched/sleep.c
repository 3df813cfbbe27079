/*
 * sleep - sleeping is yielding: the sleeper is enabled at once, and when it is picked the
 * virtual clock has reached its time. So a program that sleeps to order two things is seen
 * in both orders, and no trial takes longer for it. One that sleeps all the time (sched_is_napper)
 * waits for its deadline like any timed waiter: memcached's maintenance threads took nine turns of ten, and
 * whoever was held back waited for 20,000 of them.
 *
 * Plan flag WIRE_NATIVE_TIME: the sleeper waits for its deadline like any timed waiter.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "rt/sched/internal.h"

static void set_left(struct timespec *left, uint64_t until)
{
	uint64_t now = sched_now(), ns = until > now ? until - now : 0;

	if (left)
		*left = (struct timespec){ (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
}

/* Positive errno. left is written when a handler ended a relative sleep. */
int sched_sleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	uint32_t taken = self->signals_taken;
	bool waits = rt_plan_flag(WIRE_NATIVE_TIME) || sched_is_napper(self);
	uint64_t until;
	enum sched_wake wake;

	if (sched_bad_time(time) || time->tv_sec < 0)
		return EINVAL;
	if (flags & TIMER_ABSTIME)
		until = sched_deadline_from(time, clock);
	else
		until = sched_now() + (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
	self->naps += !waits; /* else its time-out counts */
	wake = sched_wait(OP_SLEEP, NULL, pc, waits ? sched_never : NULL, NULL, waits ? until : 0,
			  WAIT_CANCEL | WAIT_SIGNAL);
	if (wake == WAKE_CANCEL)
		sched_cancel_act();
	if (taken != self->signals_taken) {
		if (!(flags & TIMER_ABSTIME))
			set_left(left, until);
		return EINTR;
	}
	if (until > sched_now())
		sched_advance(until - sched_now());
	return 0;
}

RT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
	if (!sched_self())
		return REAL(clock_nanosleep)(clock, flags, time, left);
	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return EINVAL;
	return sched_sleep(clock, flags, time, left, RT_CALLER);
}

RT_EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
	int code;

	if (!sched_self())
		return REAL(nanosleep)(time, left);
	code = sched_sleep(CLOCK_MONOTONIC, 0, time, left, RT_CALLER);
	if (code)
		errno = code;
	return code ? -1 : 0;
}

RT_EXPORT int usleep(useconds_t us)
{
	struct timespec time = { us / 1000000u, us % 1000000u * 1000 };
	int code;

	if (!sched_self())
		return REAL(usleep)(us);
	code = sched_sleep(CLOCK_MONOTONIC, 0, &time, NULL, RT_CALLER);
	if (code)
		errno = code;
	return code ? -1 : 0;
}

RT_EXPORT unsigned sleep(unsigned seconds)
{
	struct timespec time = { seconds, 0 }, left = { 0, 0 };

	if (!sched_self())
		return REAL(sleep)(seconds);
	sched_sleep(CLOCK_MONOTONIC, 0, &time, &left, RT_CALLER);
	return (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

RT_EXPORT int sched_yield(void)
{
	if (!sched_self())
		return REAL(sched_yield)();
	sched_step(OP_YIELD, NULL, RT_CALLER, NULL, NULL);
	return 0;
}

/* Old programs' name for it; the header makes new ones call sched_yield. */
int deadheat_pthread_yield(void) __asm__("pthread_yield");
RT_EXPORT int deadheat_pthread_yield(void)
{
	if (!sched_self())
		return REAL(sched_yield)();
	sched_step(OP_YIELD, NULL, RT_CALLER, NULL, NULL);
	return 0;
}
