/*
 * sample - a program in production, as it is, looked at now and then (RACEZ; DESIGN 9).
 *
 *     run.c      start it with rt/trace preloaded, drain the mapping into a log
 *     log.c      the log on disk (docs/sample-log.md), and the way back
 *     code.c, extend.c, machine.c   a sample becomes the accesses around it
 *     order.c    create, join, wait and notify become vector clocks
 *     pairs.c    the hybrid rule over accesses of samples
 *     tell.c     pairs of places become candidates for the sink
 *     chance.c   how likely a race would have been seen
 */
#ifndef FIND_SAMPLE_SAMPLE_H
#define FIND_SAMPLE_SAMPLE_H

#include "find/find.h"
#include "find/target.h"
#include "sym/sym.h"

struct sample_options {
	unsigned budget_ppm;    /* of CPU time for the handler; 0: 10000 (1 %) */
	uint64_t period_us;     /* 0: by budget */
	uint64_t delay_ms;      /* look from then on */
	uint64_t duration_ms;   /* ... for so long; 0: to the end */
	int signal;             /* of the sampler; 0: the runtime's choice */
	int toggle;             /* signal that starts and stops; 0: none */
	bool stopped;           /* begin stopped: deadheat_start() or the toggle signal starts */
	bool no_pmu;
	bool no_steps;          /* no single steps after a sample */
	uint64_t timeout_ms;    /* it is killed then; 0: it is production's, never */
	uint64_t seed;
	const char *log;        /* keep the log there; NULL: not kept */
};

struct sample_result {
	int exit_status;        /* wait status */
	const char *ended;      /* "exit 0", "detached" */
	bool interrupted;       /* by the user */
	unsigned processes;
	uint64_t samples;       /* in the log */
	uint64_t placed;        /* of these, in code we could read */
	uint64_t plain;         /* accesses of the sampled instructions themselves */
	uint64_t steps;         /* single steps after samples that were recorded too */
	uint64_t extended;      /* accesses, of steps and extension too */
	uint64_t shared;        /* of these, with two threads and a write at the same bytes */
	uint64_t cpu_ms;        /* of all processes, while they were looked at */
	const char *sampler;    /* "timer", "pmu" */
	double handler_share;   /* of CPU time, as the runtime measured it */
	uint64_t pairs;         /* candidates */
};

/*
 * Start the program with its own stdin, stdout, stderr and look at it until it ends. What it
 * started by fork and exec is looked at too. 0 / -1 with a message; what was seen counts.
 */
int sample_run(const struct program *program, const struct sample_options *options, struct sym *sym,
	       const struct find_sink *sink, struct arena *arena, struct sample_result *result);

/* The same for a process that runs already; it goes on as it was when we are done. */
int sample_attach(int pid, const struct sample_options *options, struct sym *sym, const struct find_sink *sink,
		  struct arena *arena, struct sample_result *result);

/* A log kept by --log, read on another day. */
int sample_read(const char *path, struct sym *sym, const struct find_sink *sink, struct arena *arena,
		struct sample_result *result);

/*
 * The paper's formula (section 4.1): the probability that both accesses of a race are among
 * `samples` independent ones, if they make up the shares a and b of all accesses.
 */
double sample_chance(double samples, double a, double b);
/* How many looks at accesses the run amounts to: samples, steps and what they were extended to. */
double sample_looks(const struct sample_result *result);

#endif
