/*
 * confirm - STAGE 3: plan -> trial -> judge; search, shrink, replay, jobs.
 *
 * Everything any front end claims is judged here. A trial is one execution under rt/sched
 * by a fork server; what it met is read from the wire, what it ended as is the outcome.
 */
#ifndef CONFIRM_CONFIRM_H
#define CONFIRM_CONFIRM_H

#include "base/arena.h"
#include "find/plain/plain.h"
#include "find/target.h"
#include "store/store.h"
#include "sym/sym.h"

struct confirm_options {
	unsigned trials;        /* per candidate, or in all for fuzz */
	unsigned jobs;          /* fork servers side by side; 0 = cores */
	unsigned first_core;    /* of the first of them, counted among those we may use */
	uint64_t seed;          /* trial i of a candidate uses seed + i */
	const char *policy;     /* pair random pct pos surw; fuzz: mix takes the last four in turn */
	const char *fill;       /* with pair: who makes the free choices */
	unsigned depth;         /* pct */
	uint64_t step_limit;
	uint64_t wall_ms;       /* per trial */
	bool wall_auto;         /* lower it to what the undisturbed run lets expect */
	bool exhaust;           /* do not stop when hit in both orders */
	bool compare_output;
	bool spurious;
	bool pin;
	bool shrink;
	bool show_output;       /* let the trials' output through */
	const char *stdin_file; /* NULL: /dev/null */
};

extern const struct confirm_options confirm_defaults;

struct confirm_context {
	struct store *store;
	struct sym *sym;
	const struct program *program;
	int64_t program_id;
	int64_t run;
	struct confirm_options options;
	void (*note)(const char *line); /* a remark for the user; NULL: none wanted */
	struct plain *plain;            /* the program is not instrumented: its instructions are; NULL: it is */
	struct confirm_pool *pool;      /* the fork servers, NULL until the first trial */
	void (*tick)(struct confirm_context *context); /* now and then while trials run; NULL: nobody asks */
	void *ticks;                    /* tick's */
};

/* Sites at file:line the runtime can stand before: sym_sites_at or plain_sites_at. */
size_t confirm_sites_at(const struct confirm_context *context, struct arena *arena, const char *module,
			const char *file, int line, struct sym_site **sites);

/* End the fork servers. The context can be used again. */
void confirm_close(struct confirm_context *context);

/* What came of one candidate, for the caller's remarks; the store has it all. */
struct confirm_result {
	unsigned trials, hits;
	bool confirmed, harmful;
	bool absent;            /* -1 because a side has no site in this program */
	unsigned order[2];      /* of the hits: access[0] first, access[1] first */
	const char *variable;   /* where they met; valid until confirm_close() */
};

/* Trials for one candidate / one deadlock candidate. 0 / -1. */
int confirm_candidate(struct confirm_context *context, const struct candidate *candidate,
		      struct confirm_result *result);
int confirm_deadlock(struct confirm_context *context, const struct deadlock *deadlock,
		     struct confirm_result *result);
/* No pair: schedules by policy; failures go into the store. */
int confirm_fuzz(struct confirm_context *context, struct confirm_result *result);

/*
 * Repeat the witness of a finding. verify compares each step; *differs is the index of
 * the first that differs, or -1. repeated says whether the outcome was the same.
 */
struct replay_result {
	bool repeated;
	int64_t differs;
	const char *outcome;
	uint64_t steps, hash;
	const char *difference; /* "step 12: T1 lock, recorded T2 unlock" or NULL */
	const char *recorded;   /* outcome in the schedule file */
	uint64_t recorded_steps;
};
int confirm_replay(struct confirm_context *context, struct arena *arena, const char *id, bool verify,
		   struct replay_result *result);
/* Replace the process by gdb on the replay, stopped where both threads stand. -1 if it cannot. */
int confirm_replay_gdb(struct confirm_context *context, const char *id);

#endif
