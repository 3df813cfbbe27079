/*
 * detect - every access of a run under the hybrid rule (RaceFuzzer, phase 1).
 */
#ifndef FIND_DETECT_DETECT_H
#define FIND_DETECT_DETECT_H

#include "find/find.h"
#include "find/target.h"
#include "sym/sym.h"

struct detect_options {
	unsigned runs;          /* at most; united until a run brings nothing new */
	uint64_t seed;
	const char *rule;       /* "hybrid" or "hb" */
	const char *schedule;   /* "native" or "random" (runtime explore) */
	const char *sample;     /* NULL, "pacer:1%", "literace" */
	uint64_t timeout_ms;    /* per run; 0 none */
	bool patch;             /* call-site patching */
	bool all_runs;          /* make them all, whatever they bring */
	unsigned cut_runs;      /* after so many that only their time ended, no more; 0 no limit */
	bool mute;              /* what the program prints goes nowhere */
	bool plain;             /* it is not instrumented: its own instructions are told, schedule "random" only */
};

extern const struct detect_options detect_defaults;

/* Are rule, schedule and sample words we know? 0, or -1 with a message that names the option. */
int detect_check(const struct detect_options *options);

struct detect_result {
	unsigned runs;          /* made */
	int exit_status;        /* wait status of the last run */
	const char *ended;      /* "exit 0", "SIGSEGV" */
	bool interrupted;       /* by the user: do not begin another */
};

/*
 * Start the program with its own stdin, stdout and stderr, drain the wire, symbolise,
 * hand every pair and lock cycle to the sink. What a killed program had found counts. A
 * candidate is handed over again when a later record adds a place or a stack to it. What
 * the sink gets lies in arena and lives as long as that.
 */
int detect_run(const struct program *program, const struct detect_options *options, struct sym *sym,
	       const struct find_sink *sink, struct arena *arena, struct detect_result *result);

#endif
