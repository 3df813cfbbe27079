/*
 * campaign - trials for all targets of a program, by budget, on as many machines as there are.
 *
 * campaign_create() puts into the store everything a worker must know (the plan): options,
 * sites, and how the program ends undisturbed; campaign_work() is a worker. Results depend on
 * the plan and the seed alone.
 */
#ifndef CONFIRM_CAMPAIGN_H
#define CONFIRM_CAMPAIGN_H

#include "confirm/confirm.h"
#include "store/campaign.h"

struct campaign_order {
	const char *name;
	uint64_t trials, ms;          /* the budget; both 0: options.trials for each target */
	const char *const *ids;       /* of candidates and deadlocks */
	size_t count;
};

/*
 * A target whose sites are not in this program is left out with a remark. The context's fork
 * servers are up afterwards. 0; -1 with one clear line. *campaign gets its id.
 */
int campaign_create(struct confirm_context *context, const struct campaign_order *order,
		    struct store_campaign *campaign);

struct campaign_worker {
	struct store *store;
	struct sym *sym;
	const char *name;             /* only this campaign; NULL: any */
	const char *program;          /* path of the program here; NULL: as in the plan */
	unsigned jobs;                /* 0 = cores */
	bool stays;                   /* wait for more when there is nothing left to do */
	void (*note)(const char *line);
	/* results */
	uint64_t trials;
	unsigned refused;             /* campaigns we could not work for */
};
/* Until nothing is left to do, or Ctrl-C. 0; -1 with one clear line. */
int campaign_work(struct campaign_worker *worker);

#endif
