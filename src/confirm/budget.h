/* budget - who gets the trials of a campaign's next round; the rule is in budget.c. */
#ifndef CONFIRM_BUDGET_H
#define CONFIRM_BUDGET_H

#include "store/campaign.h"

/* What a target is after; in the order in which they are served. */
enum budget_goal {
	GOAL_MEET = 0,   /* it was never met */
	GOAL_ORDER = 1,  /* met, but only one way round */
	GOAL_HARM = 2,   /* both ways, no harm seen */
	GOAL_NONE = 3,   /* harm seen both ways tried, or a deadlock that happened */
};
enum budget_goal budget_goal(const struct store_tally *tally);

/* A store_planner: fills in goal, base and share; all shares 0: the campaign is done. */
void budget_share(const struct store_campaign *campaign, struct store_tally *tallies, size_t count, unsigned *piece);

#endif
