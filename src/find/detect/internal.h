/*
 * internal - the parts of detect: detect.c unites runs, launch.c starts one and waits,
 * drain.c turns what it wrote into findings, plan.c says what to do.
 */
#ifndef FIND_DETECT_INTERNAL_H
#define FIND_DETECT_INTERNAL_H

#include "base/vec.h"
#include "find/describe.h"
#include "find/detect/detect.h"
#include "wire/reader.h"

struct finding; /* one id and what is known of it, drain.c */

/* Findings of all runs so far. */
struct drain {
	const struct find_sink *sink;
	struct arena *arena;
	struct finding *known;    /* uthash, by id */
	size_t fresh;             /* ids not known before, in this run */
	uint64_t counters[WIRE_COUNTER_COUNT]; /* over all runs */
	uint64_t torn;            /* records that could not be read */
	uint64_t unwatched;       /* sites that found no room in a plan */
	/* of the present run */
	const struct wire_host *wire;
	struct wire_cursor at;
	struct describe describe;
};

void drain_begin(struct drain *drain, const struct wire_host *wire, struct sym *sym);
/* Take in what has been committed since the last call. 0, or -1 when the sink said so. */
int drain_step(struct drain *drain);
/* The last step of a run: counters too. */
int drain_end(struct drain *drain);
/* Hand the counters of all runs to the sink and free everything. */
void drain_finish(struct drain *drain);
/* Both sides' places of every pair so far, as sites to watch. Arrays in the arena. */
void drain_watch(struct drain *drain, struct wire_plan_parts *parts);

/* The plan of run number `run`, watched sites included; -1 if an option makes no sense. */
int plan_write(struct wire_host *wire, const struct program *program, const struct detect_options *options, unsigned run,
	       struct sym *sym, struct drain *drain);

/* How one run went. */
struct launch {
	const struct program *program;
	const char *runtime;      /* "detect", "explore" */
	bool mute;                /* what it prints goes nowhere */
	uint64_t timeout_ms;
	int status;               /* of waitpid */
	bool timed_out;
	bool deadlocked; /* by itself; ended by us */
	bool interrupted;         /* we were asked to stop: no further run */
};
/* Start, wait, call drain_step now and then. */
int launch_run(struct launch *launch, struct arena *arena, const struct wire_host *wire, struct drain *drain);

#endif
