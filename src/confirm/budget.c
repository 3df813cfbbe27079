/*
 * budget - where a campaign spends its trials.
 *
 * The rule. Each target is after one thing: to be met, then to be met the other way round,
 * then to do harm (enum budget_goal). What it has already spent on that, without success, is
 * its depth: depth d has cost FIRST * (2^d - 1) trials. A round serves the targets of the
 * smallest depth, and among them those never met first, then those met one way, then those
 * without harm; each gets FIRST * 2^d trials. So
 *   - at equal effort unconfirmed candidates come first, then both orders, then harm;
 *   - what did not pay for 20, 60, 140, 300 ... trials waits until everybody else has had
 *     as many: one stubborn pair cannot eat the budget, and none is ever given up;
 *   - a target that reaches its goal starts the next one at depth 0: success pays.
 * If d is the depth at which a goal is reached, the trials spent on it are at most twice what
 * an oracle that knew d would have spent: the usual bound of doubling.
 *
 * Decided against a bandit: its arms would be pairs whose chances differ by their nature and
 * not by luck, its choice would depend on the order in which results come in, and a campaign
 * must end with the same races whoever was killed on the way. Here a round is a pure function
 * of the tallies, and rounds are barriers (store/campaign.h).
 *
 * I1  The shares of a round never exceed what is left of the budget; what is cut is cut from
 *     the end of the order above.
 * I2  A round has PIECES leases or more if it has that many pieces of LEAST trials: enough
 *     for as many workers, large enough that taking one costs little.
 */
#include "confirm/budget.h"

#include <string.h>

#define FIRST 20u      /* a pair that can meet is met within a handful: figure 1, 100 of 100 */
#define DEPTH_MAX 40   /* FIRST << 40: more than anybody runs */
#define PIECES 32u
#define LEAST 100u    /* a lease learns from its first two dozen (search.c), and costs a dozen statements */
#define MOST 1000u     /* half a second of a small program */

enum budget_goal budget_goal(const struct store_tally *t)
{
	if (!t->hits)
		return GOAL_MEET;
	if (t->is_deadlock)
		return GOAL_NONE;
	if (!t->order[0] || !t->order[1])
		return GOAL_ORDER;
	return t->harm ? GOAL_NONE : GOAL_HARM;
}

static unsigned depth_of(const struct store_tally *t)
{
	uint64_t spent = t->done - t->base;
	unsigned depth = 0;

	while (depth < DEPTH_MAX && spent >= FIRST * ((2ull << depth) - 1))
		depth++;
	return depth;
}

/* A new goal begins with nothing spent. */
static void set_goals(struct store_tally *tallies, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct store_tally *t = &tallies[i];
		enum budget_goal goal = budget_goal(t);

		t->share = 0;
		if (goal == t->goal)
			continue;
		t->goal = goal;
		t->base = t->done;
	}
}

static bool smallest_depth(const struct store_tally *tallies, size_t count, unsigned *depth)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		unsigned d = depth_of(&tallies[i]);

		if (tallies[i].goal == GOAL_NONE || (any && d >= *depth))
			continue;
		*depth = d;
		any = true;
	}
	return any;
}

/* What is left of the budget in trials; a time that is over leaves none. */
static uint64_t left_of(const struct store_campaign *c)
{
	if (c->ms && c->spent >= c->ms)
		return 0;
	if (!c->trials)
		return UINT64_MAX;
	return c->done < c->trials ? c->trials - c->done : 0;
}

static unsigned piece_of(uint64_t total)
{
	uint64_t piece = total / PIECES;

	return (unsigned)(piece < LEAST ? LEAST : piece > MOST ? MOST : piece);
}

void budget_share(const struct store_campaign *campaign, struct store_tally *tallies, size_t count, unsigned *piece)
{
	uint64_t left = left_of(campaign), total = 0;
	unsigned depth = 0;
	bool any;

	set_goals(tallies, count);
	any = smallest_depth(tallies, count, &depth);
	for (uint64_t goal = GOAL_MEET; any && goal < GOAL_NONE; goal++)
		for (size_t i = 0; i < count && total < left; i++) {
			uint64_t share = (uint64_t)FIRST << depth;

			if (tallies[i].goal != goal || depth_of(&tallies[i]) != depth)
				continue;
			tallies[i].share = share < left - total ? share : left - total;
			total += tallies[i].share;
		}
	*piece = piece_of(total);
}
