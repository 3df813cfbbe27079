/*
 * campaign - trials as work orders for many processes on many machines.
 *
 *     campaign   a program, a seed, a budget, what a worker must know (plan: confirm's text)
 *       target   a finding of it, its plan and its tally so far
 *         lease  trials [first, first + count) of a target; the row is gone when all are done
 *     worker     a process that takes leases; known by machine, pid and time of birth
 *
 * A campaign goes in rounds: when no lease of it is left, one process shares the budget among
 * the targets by their tallies (confirm/budget.c) and writes the leases of the next round, in
 * one transaction. So which trials are made depends on results only, never on who made them,
 * how many there were and who was killed.
 *
 * I1  Trial n of a target is counted once: with its lease's `done`, in the transaction that
 *     has its row. Who lost a lease (it expired, or we were taken for dead) counts nothing.
 * I2  Times are the store's (deadheat_now()), in milliseconds: machines need no common clock.
 *
 * Everything read is copied into the caller's arena. 0 / -1 with a message unless it says more.
 */
#ifndef STORE_CAMPAIGN_H
#define STORE_CAMPAIGN_H

#include "store/store.h"

enum campaign_state { CAMPAIGN_RUNNING = 0, CAMPAIGN_DONE = 1 };

struct store_campaign {
	int64_t id;
	const char *name;
	int64_t program;
	const char *path, *build_id; /* of that program */
	uint64_t seed;
	uint64_t trials, ms;     /* the budget; 0: no limit of this kind. ms: time of all workers together */
	int64_t state;           /* enum campaign_state */
	uint64_t round, done, spent; /* done: trials, spent: ms */
	int64_t began, ended;    /* ended 0: not yet */
	const char *plan;
	/* counted for status */
	uint64_t targets, confirmed, harmful;
	uint64_t leases, taken;
};

struct store_target {
	char id[CANDIDATE_ID_SIZE];
	const char *plan;
};

/* A target's results, and what it is after (budget.c). */
struct store_tally {
	int64_t finding;
	bool is_deadlock;
	uint64_t done, hits, order[2], harm;
	uint64_t goal, base; /* goal: budget.c's; base: done when it became the goal */
	/* the planner's answer */
	uint64_t share;      /* trials of the next round */
};

/* Puts the campaign and its targets at once; *id. A name that is there already: error_usage. */
int store_put_campaign(struct store *store, struct store_campaign *campaign, const struct store_target *targets,
		       size_t count);
/* 1 found, 0 none, -1 error. */
int store_find_campaign(struct store *store, struct arena *arena, const char *name, struct store_campaign *campaign);
/* All, newest last, with the counts for status. */
int store_campaigns(struct store *store, struct arena *arena, struct store_campaign **campaigns, size_t *count);
/* One more target, met on the way; nothing happens if it is one. */
int store_add_target(struct store *store, int64_t campaign, const struct store_target *target);
/* What came of its targets so far, in the order of their ids. */
struct store_target_result {
	char id[CANDIDATE_ID_SIZE];
	uint64_t done, hits, harm;
};
int store_target_results(struct store *store, struct arena *arena, int64_t campaign, struct store_target_result **results,
			 size_t *count);
/* The plan of a target. 1 found, 0 none, -1 error. */
int store_get_target(struct store *store, struct arena *arena, int64_t campaign, const char *id, const char **plan);

/*
 * If no lease is left: ask the planner for shares, write the leases (pieces of at most
 * *piece trials) and begin the next round; a campaign for which it gives nothing is done.
 * *begun says whether there is work now.
 */
typedef void store_planner(const struct store_campaign *campaign, struct store_tally *tallies, size_t count,
			   unsigned *piece);
int store_plan_round(struct store *store, int64_t campaign, store_planner *planner, bool *begun);

/*
 * Is the store whole: the engine's own check and what must hold between its tables? 0; -1 with
 * the first thing that does not.
 */
struct store_totals {
	int64_t findings, trials;
	int64_t settled;       /* trials the campaigns count */
	int64_t by_campaigns;  /* rows of these; fewer where a trial said nothing */
};
int store_check(struct store *store, struct store_totals *totals);

/* ---- workers and leases --------------------------------------------------------------------- */

struct store_worker {
	int64_t id;
	const char *name;        /* host and pid */
	int64_t jobs, core, pid;
	uint64_t trials, busy;   /* busy: ms with a lease */
	int64_t began, seen;     /* seen: ms ago, when read by store_workers() */
	int64_t campaign;        /* 0: idle */
	bool is_here;            /* on this machine */
	bool is_dead;            /* ... and its process is gone */
};
/* *core: of `cores` the one to begin with, so that workers of one machine do not share while others are free. */
int store_begin_worker(struct store *store, unsigned jobs, unsigned cores, int64_t *worker, unsigned *core);
/* Gives its leases back. */
int store_end_worker(struct store *store, int64_t worker);
int store_workers(struct store *store, struct arena *arena, struct store_worker **workers, size_t *count);

struct store_lease {
	int64_t id, campaign, finding;
	char target[CANDIDATE_ID_SIZE];
	unsigned first, count, done;
};
/* Running campaigns with a free lease or none at all, those with the fewest workers first. */
struct store_offer {
	int64_t campaign;
	bool is_empty;   /* no lease, or its time is over: plan a round */
	bool is_free;    /* one can be taken */
};
int store_offers(struct store *store, struct arena *arena, struct store_offer **offers, size_t *count);
/* 1 taken, 0 none is free, -1 error. */
int store_take_lease(struct store *store, int64_t worker, int64_t campaign, struct store_lease *lease);
/* Still at it. 1 ours, 0 lost, -1 error. */
int store_renew_lease(struct store *store, int64_t worker, const struct store_lease *lease);
/* The worker shows that it is alive. */
int store_renew_worker(struct store *store, int64_t worker);
/* Leases of workers of this machine whose process is gone. How many came back, -1 error. */
int store_reclaim(struct store *store);

/* What came of the next `settled` trials of a lease; those that say nothing have no row. */
struct store_result {
	unsigned settled;
	const struct store_trial *trials; /* of the target */
	size_t count;
	uint64_t ms;
};
/* 1 counted, 0 the lease is lost and nothing was, -1 error. */
int store_put_lease(struct store *store, int64_t worker, int64_t run, int64_t program, struct store_lease *lease,
		    const struct store_result *result);

#endif
