/*
 * session - what the commands that run a program share: the store, the program (named on
 * the command line, or the one the store remembers), the run, and the options of trials.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "base/arena.h"
#include "cli/cli.h"
#include "confirm/confirm.h"
#include "find/find.h"
#include "find/target.h"
#include "store/store.h"
#include "sym/sym.h"

struct session {
	struct arena arena;
	struct store *store;
	struct sym *sym;
	struct program program;
	bool is_plain;          /* not instrumented */
	bool is_named;          /* on the command line, not the one the store remembers */
	int64_t program_id;
	int64_t run;
	struct confirm_context confirm;
};

/*
 * argv: the program and its arguments; NULL or empty: the program with that id in the
 * store, 0 the newest. stage names the run ("confirm"). 0; -1 with one clear line.
 */
int session_open(struct session *session, const char *stage, char **argv, int64_t program);
/* Ends servers and run; ended is how ("exit 0", "interrupted"). */
void session_close(struct session *session, const char *ended);
/* Options of the command line into the context. */
int session_confirm(struct session *session);

/* Rows for the tables of commands that make trials. */
struct trial_options {
	uint64_t trials, jobs, seed, depth, steps, wall_ms;
	const char *policy, *fill, *stdin_file;
	bool exhaust, compare_output, spurious, no_pin, no_shrink, show_output;
};
extern struct trial_options trial_options;

#define OPTION_TRIALS(text) { "trials", 't', OPTION_NUMBER, &trial_options.trials, "N", text, NULL, 1, 1000000000 }
#define OPTION_JOBS { "jobs", 'j', OPTION_NUMBER, &trial_options.jobs, "J", "trials side by side (default: one a core)", NULL, 1, 1024 }
#define OPTION_SEED { "seed", 's', OPTION_NUMBER, &trial_options.seed, "S", "seed of the first trial; the next has S+1 (default 1)", NULL, 0, 0 }
#define OPTION_POLICY(words, text) { "policy", 'p', OPTION_CHOICE, &trial_options.policy, "POLICY", text, words, 0, 0 }
#define OPTION_FILL { "fill", 0, OPTION_CHOICE, &trial_options.fill, "POLICY", "who makes the free choices of a directed trial (default random)", "random|pct|pos|surw", 0, 0 }
#define OPTION_DEPTH { "depth", 'd', OPTION_NUMBER, &trial_options.depth, "D", "pct: number of orderings a bug needs (default 3)", NULL, 1, 100 }
#define OPTION_STEPS { "steps", 0, OPTION_NUMBER, &trial_options.steps, "N", "steps after which a trial is a hang (default: by the length of an undirected one)", NULL, 100, 0 }
#define OPTION_TIMEOUT { "timeout", 0, OPTION_DURATION, &trial_options.wall_ms, "TIME", "wall clock of one trial, the last resort (default: by the plain run, 60s at most)", NULL, 0, 0 }
#define OPTION_EXHAUST(text) { "exhaust", 'x', OPTION_FLAG, &trial_options.exhaust, NULL, text, NULL, 0, 0 }
#define OPTION_COMPARE { "compare-output", 0, OPTION_FLAG, &trial_options.compare_output, NULL, "other output than the undisturbed run's is an outcome of its own", NULL, 0, 0 }
#define OPTION_SPURIOUS { "spurious", 0, OPTION_FLAG, &trial_options.spurious, NULL, "condition waits may wake up for nothing", NULL, 0, 0 }
#define OPTION_NO_PIN { "no-pin", 0, OPTION_FLAG, &trial_options.no_pin, NULL, "leave clock, process id and random numbers as they are", NULL, 0, 0 }
#define OPTION_NO_SHRINK { "no-shrink", 0, OPTION_FLAG, &trial_options.no_shrink, NULL, "keep the schedule as it was found", NULL, 0, 0 }
#define OPTION_SHOW_OUTPUT { "show-output", 0, OPTION_FLAG, &trial_options.show_output, NULL, "let through what the trials print", NULL, 0, 0 }
#define OPTION_STDIN { "stdin", 0, OPTION_STRING, &trial_options.stdin_file, "FILE", "input of every trial (default: none)", NULL, 0, 0 }

#endif
