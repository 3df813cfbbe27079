/*
 * policy_pct - probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi,
 * Nagarakatte, ASPLOS 2010).
 *
 * Every thread has a random priority; the highest enabled one runs. At d - 1 steps drawn
 * at random from the k expected ones, the thread about to run falls below all initial
 * priorities.
 *
 * Guarantee: a bug of depth d in a program of at most n threads and k steps shows with
 * probability at least 1 / (n k^(d-1)) per trial. It needs k (plan.length, from a profile
 * run) not to be too small; without one LENGTH_UNKNOWN is assumed. Threads moved down for
 * spinning (turn.c) or yielding fall below everybody: the bound is then that of the program
 * with the spin taken as a wait.
 */
#include "rt/sched/internal.h"

#define DEPTH_DEFAULT 3u
#define DEPTH_MAX 64u
#define LENGTH_UNKNOWN 1000u

/* Initial priorities lie above INITIAL, change points just below it, fallen ones below LOW. */
#define INITIAL (1ull << 62)
#define LOW (1ull << 60)

static uint64_t change_at[DEPTH_MAX];
static uint32_t changes;
static uint64_t step, fallen;

static void pct_start(void)
{
	uint64_t length = rt_plan->length ? rt_plan->length : LENGTH_UNKNOWN;
	uint32_t depth = rt_plan->depth ? rt_plan->depth : DEPTH_DEFAULT;

	changes = depth - 1 < DEPTH_MAX ? depth - 1 : DEPTH_MAX;
	for (uint32_t i = 0; i < changes; i++)
		change_at[i] = 1 + sched_random() % length;
	step = fallen = 0;
}

static void pct_created(struct sched_thread *thread)
{
	thread->priority = INITIAL + (sched_random() >> 3);
}

static void pct_moved_down(struct sched_thread *thread)
{
	thread->priority = LOW - ++fallen;
}

static uint32_t highest(struct sched_thread **enabled, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (enabled[i]->priority > enabled[best]->priority)
			best = i;
	return best;
}

static uint32_t pct_pick(struct sched_thread **enabled, uint32_t count)
{
	uint32_t best = highest(enabled, count);

	step++;
	for (uint32_t i = 0; i < changes; i++)
		if (change_at[i] == step) {
			enabled[best]->priority = INITIAL - 1 - i;
			best = highest(enabled, count);
		}
	return best;
}

static void pct_executed(struct sched_thread *thread)
{
	if (thread->op == OP_YIELD || thread->op == OP_SLEEP)
		pct_moved_down(thread);
}

const struct sched_policy sched_policy_pct = {
	.name = "pct",
	.start = pct_start,
	.thread_created = pct_created,
	.pick = pct_pick,
	.executed = pct_executed,
	.moved_down = pct_moved_down,
};
