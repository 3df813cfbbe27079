/*
 * trap - watchpoints in production: CRSampler's and DataCollider's way, on unmodified programs.
 *
 * An int3 at an instruction here and there; who comes by has the bytes it is about to touch
 * watched, and may be stalled for a moment. Another thread that touches them then is the other
 * half of a pair: caught.
 */
#ifndef FIND_TRAP_TRAP_H
#define FIND_TRAP_TRAP_H

#include "base/arena.h"
#include "find/find.h"
#include "find/target.h"
#include "sym/sym.h"

struct trap_options {
	unsigned mode;        /* enum trap_mode */
	unsigned budget_ppm;  /* of the program's CPU time: stalls and handlers together */
	unsigned rate;        /* new instructions armed a second */
	uint64_t limit_us;    /* a watch without a stall */
	uint64_t stall_us;
	uint64_t delay_ms, duration_ms;
	uint64_t seed;
	bool no_watch;        /* no watchpoints: compare values */
	const char *cache;    /* folder of tables of sites, by build-id; NULL: none */
	uint64_t timeout_ms;  /* it is killed then; 0: it is production's, never */
};

struct trap_result {
	const char *ended;
	bool interrupted;     /* by the user */
	int exit_status;
	uint64_t sites, modules, processes;
	uint64_t hits, stalls, stall_ms, cpu_ms;
	uint64_t host_ms;     /* CPU time of deadheat itself, but for what is done once */
	uint64_t time_ms;     /* by the clock */
	size_t caught, suspected;
	bool without_watch;   /* some process had no watchpoints */
	uint64_t changed;     /* values that changed meanwhile, there */
};

/* Start the program, look until it has ended. 0 / -1 with one clear line. */
int trap_run(const struct program *program, const struct trap_options *options, struct sym *sym,
	     const struct find_sink *sink, struct arena *arena, struct trap_result *result);

/* The same for a process that runs already; it goes on when --duration is over or we are interrupted. */
int trap_attach(int pid, const struct trap_options *options, struct sym *sym, const struct find_sink *sink,
		struct arena *arena, struct trap_result *result);

#endif
