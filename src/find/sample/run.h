/*
 * run - what a start (run.c) and an attach (attach.c) share: the mapping, the log, the window of
 * time, signals to the host.
 */
#ifndef FIND_SAMPLE_RUN_H
#define FIND_SAMPLE_RUN_H

#include <signal.h>

#include "find/sample/internal.h"

struct run {
	const struct sample_options *options;
	struct tracer tracer;
	struct log_writer writer;
	uint64_t began;   /* ms */
	int phase;        /* 0 before --delay, 1 looking, 2 after --duration */
	uint64_t cpu_ms;
	int nap_ms;       /* between two looks at the mapping */
	bool attached;    /* locks may have been held when we came */
	uint64_t next_look; /* ms */
	bool debugged;    /* just now */
	const struct find_sink *sink;
};

struct run_signals {
	struct sigaction old[4];
};

int run_open(struct run *run, const struct sample_options *options, const struct find_sink *sink);
/* Start or stop looking when it is time. */
void run_window(struct run *run);
/* Does a debugger look at it, too? Then no steps while it does. */
void run_look(struct run *run);
int run_drain(struct run *run, bool all);
int run_finish(struct run *run, struct sym *sym, const struct find_sink *sink, struct arena *arena,
	       struct sample_result *result);
void run_close(struct run *run);

void run_take_signals(struct run_signals *saved);
void run_give_signals_back(const struct run_signals *saved);
/* Give the program what came since *dealt, which counts them. */
void run_pass_on(pid_t pid, int *dealt);
/* Is its time up (timeout_ms 0: never)? Then it is killed; pid 0: it has ended, others go on. */
bool run_over(pid_t pid, uint64_t began, uint64_t timeout_ms);
/* How many signals came since they were taken. */
int run_interrupted(void);

#endif
