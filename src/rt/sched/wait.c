/*
 * wait - sched_wait: one announcement that a handler or a cancellation can end.
 *
 * The caller's predicate is wrapped: a thread that waits for a lock is also enabled when a
 * signal handler is due for it, because POSIX runs the handler while the thread waits.
 * What made the thread go on is looked up in the state after it was picked, in the order
 * POSIX gives them: a cancellation point acts first; an operation that can be done is done
 * (a wake-up is never lost to a timeout that came at the same moment); then EINTR; then
 * ETIMEDOUT.
 */
#include "rt/sched/internal.h"

struct wrapped {
	sched_ready *ready;
	void *argument;
	unsigned flags;
};

static bool wrapped_ready(struct sched_thread *thread, void *argument)
{
	struct wrapped *w = argument;

	return !w->ready || w->ready(thread, w->argument) || sched_signal_due(thread) ||
	       ((w->flags & WAIT_CANCEL) && sched_cancel_due(thread));
}

enum sched_wake sched_wait(enum wire_op op, struct sched_object *object, uintptr_t pc, sched_ready *ready,
			   void *argument, uint64_t deadline_ns, unsigned flags)
{
	struct sched_thread *self = sched_self();
	struct wrapped w = { ready, argument, flags };

	for (;;) {
		uint32_t taken = self->signals_taken;
		bool late = sched_step_timed(op, object, pc, wrapped_ready, &w, deadline_ns);

		if ((flags & WAIT_CANCEL) && sched_cancel_due(self))
			return WAKE_CANCEL;
		if (!ready || ready(self, argument))
			return WAKE_READY;
		if ((flags & WAIT_SIGNAL) && taken != self->signals_taken)
			return WAKE_SIGNAL;
		if (late && deadline_ns)
			return WAKE_TIMEOUT;
	}
}

bool sched_never(struct sched_thread *thread, void *argument)
{
	(void)thread;
	(void)argument;
	return false;
}

bool sched_bad_time(const struct timespec *time)
{
	return time->tv_nsec < 0 || time->tv_nsec >= 1000000000;
}

bool sched_bad_clock(clockid_t clock)
{
	return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC;
}
