/*
 * order - two critical sections of one lock in both orders: the pair's idea without a race.
 *
 * With WIRE_ORDER the plan's sides a and b are places that take a lock. A thread that comes
 * to one waits there until another wants the same lock at the other; then a coin decides who
 * goes first, and both go on. Bugs of order and atomicity (a reader between the two stages of
 * a writer) are found this way however many other threads there are: they all wait, too.
 * Nothing of this is a race, so nothing is reported as a meeting; only how the trial ends
 * counts.
 *
 * I1  Who is picked is enabled, so the lock is free and whoever waits for it here could take it.
 */
#include "rt/sched/turn.h"

int order_side(const struct sched_thread *thread)
{
	int side = sched_takes_lock(thread->op) ? pair_side(thread->pc) : -1;

	return side <= WIRE_SIDE_BOTH ? side : -1;
}

static bool is_rival(const struct sched_thread *thread, int side, const struct sched_thread *other)
{
	int other_side;

	if (other == thread || !other->alive || !other->postponed || other->object != thread->object)
		return false;
	other_side = order_side(other);
	return other_side >= 0 && (other_side != side || side == WIRE_SIDE_BOTH);
}

static void set_free(struct sched_thread *thread)
{
	sched.postponed_count -= thread->postponed;
	thread->postponed = false;
	thread->let_go = true;
}

struct sched_thread *order_meet(struct sched_thread *thread)
{
	int side = order_side(thread);
	struct sched_thread *rival = NULL;

	if (thread->let_go)
		return thread;
	for (uint32_t i = 0; i < sched.thread_count && !rival; i++)
		if (is_rival(thread, side, sched.threads[i]))
			rival = sched.threads[i];
	if (!rival) {
		pair_postpone(thread);
		return NULL;
	}
	set_free(rival);
	if (sched_choose(OP_RESOLVE, 2) == 0)
		return thread;
	set_free(thread);
	return rival;
}
