/*
 * policy_random - a uniformly random enabled thread at every step.
 *
 * Guarantee: every schedule has a positive probability; one particular schedule of k steps
 * with n threads enabled throughout has n^-k. That is the paper's own choice (line 5 of
 * Algorithm 1) and enough there, since the pair does the directing. On its own it favours
 * schedules with many switches and starves nobody.
 */
#include "rt/sched/internal.h"

static uint32_t random_pick(struct sched_thread **enabled, uint32_t count)
{
	return sched_random_below(count);
}

const struct sched_policy sched_policy_random = {
	.name = "random",
	.pick = random_pick,
};
