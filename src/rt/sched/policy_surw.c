/*
 * policy_surw - selectively uniform random walk (Zhao et al., ASPLOS 2025).
 *
 * A random walk is far from uniform over schedules: a thread with one statement left
 * against one with a hundred goes first half of the time, although it does so in one of
 * 101 schedules. Here a thread is picked with a weight of its remaining statements, which
 * makes every interleaving of straight-line threads equally likely (the remaining counts
 * multiply to the reciprocal of the multinomial).
 *
 * Which statements count: all scheduling points (the paper's set of interesting events;
 * what is not a point never competes). How many remain: with policy SURW the plan's
 * choices are a profile, one entry per thread ordinal with `chosen` = its statements in
 * the profile run; threads the profile does not know get the mean of those it does, and
 * without a profile plan.length divided by the threads seen so far. A thread that lives
 * longer than its count keeps the weight 1, and one that creates threads carries their
 * weight until it has made them, since they can only run after it: profile entries with
 * thread = creator, op = OP_CREATE and `chosen` = statements of all descendants.
 *
 * Guarantee: exact counts and no blocking: uniform over interleavings. Blocking and wrong
 * counts bend it, but every enabled thread keeps a positive weight.
 */
#include "rt/sched/internal.h"

#define LENGTH_UNKNOWN 1000u

static uint64_t mean;

static bool is_count(const struct wire_choice *entry)
{
	return entry->op != OP_CREATE;
}

static void surw_start(void)
{
	const struct wire_choice *profile = rt_plan_choices();
	uint64_t sum = 0, count = 0;

	for (uint32_t i = 0; i < rt_plan->choice_count; i++)
		if (is_count(&profile[i])) {
			sum += profile[i].chosen;
			count++;
		}
	mean = count ? sum / count : 0;
}

static uint64_t expected(const struct sched_thread *thread)
{
	const struct wire_choice *profile = rt_plan_choices();
	uint64_t length = rt_plan->length ? rt_plan->length : LENGTH_UNKNOWN;

	for (uint32_t i = 0; i < rt_plan->choice_count; i++)
		if (is_count(&profile[i]) && profile[i].thread == thread->ordinal)
			return profile[i].chosen;
	return mean ? mean : length / sched_thread_count();
}

/* Statements of the descendants it has not created yet. */
static uint64_t unborn(const struct sched_thread *thread)
{
	const struct wire_choice *profile = rt_plan_choices();
	uint64_t carried = 0, born = 0;

	for (uint32_t i = 0; i < rt_plan->choice_count; i++)
		if (!is_count(&profile[i]) && profile[i].thread == thread->ordinal)
			carried = profile[i].chosen;
	if (!carried)
		return 0;
	for (uint32_t i = 0; i < sched_thread_count(); i++)
		if (sched_thread_at(i)->rt->parent == thread->rt->id)
			born += expected(sched_thread_at(i)) + unborn(sched_thread_at(i));
	return carried > born ? carried - born : 0;
}

/* priority caches what was expected at the first pick; a thread's own count does not change. */
static uint64_t weight(struct sched_thread *thread)
{
	if (!thread->priority)
		thread->priority = expected(thread) + 1;
	return (thread->priority > thread->steps + 1 ? thread->priority - thread->steps : 1) + unborn(thread);
}

static uint32_t surw_pick(struct sched_thread **enabled, uint32_t count)
{
	uint64_t sum = 0, at;

	for (uint32_t i = 0; i < count; i++)
		sum += weight(enabled[i]);
	at = sched_random() % sum;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t own = weight(enabled[i]);

		if (at < own)
			return i;
		at -= own;
	}
	return count - 1;
}

const struct sched_policy sched_policy_surw = {
	.name = "surw",
	.start = surw_start,
	.pick = surw_pick,
};
