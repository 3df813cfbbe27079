/*
 * attach - a process that runs already (--pid): our library into it, int3s and watchpoints as ever, all of it out again.
 *
 * Its threads each get a breakpoint event of their own (rt/trap/watch.c); those they make inherit them. An int3 in a
 * thread that blocks SIGTRAP would kill the process: such a process is refused.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "find/inject.h"
#include "find/keeper.h"
#include "find/preload.h"
#include "find/sample/run.h"
#include "find/trap/internal.h"

#define MASK_TRIES 100 /* 10 ms apart: a handler that blocks everything is soon over */

static bool blocks_trap(unsigned long long mask)
{
	return mask >> (SIGTRAP - 1) & 1;
}

static int check(pid_t pid)
{
	int blocks = 0;

	for (int i = 0; i < MASK_TRIES && (blocks = inject_find_thread(pid, "SigBlk:", 16, blocks_trap)); i++)
		usleep(10000);
	if (blocks)
		return error_cannot("--pid %d: its thread %d blocks SIGTRAP, a trap there would kill it: start the program with "
				    "`deadheat trap PROG`, or use `deadheat sample --pid`", (int)pid, blocks);
	return 0;
}

static int watch(struct trapping *t, struct inject *inject)
{
	while (!t->over && !run_interrupted() && inject_state(inject) == INJECT_INSIDE) {
		usleep((useconds_t)t->nap_ms * 1000);
		if (trapping_tick(t))
			return -1;
	}
	return trapping_stop(t);
}

static int enter(struct trapping *t, struct inject *inject)
{
	int64_t answer = -1;

	if (inject_call(inject, "deadheat_trace_attach", t->tracer.path, &answer))
		return -1;
	if (answer == 1)
		return error_cannot("--pid %d: another deadheat looks at it already", (int)inject->pid);
	if (answer)
		return error_cannot("--pid %d: it cannot open our mapping %s: run deadheat as its user, in its name space",
				    (int)inject->pid, t->tracer.path);
	return 0;
}

/* Bytes first, then the signals they may have caused, then the rest. */
static int leave(struct trapping *t, struct inject *inject)
{
	t->result->ended = inject_ended(inject);
	if (inject_state(inject) != INJECT_INSIDE)
		return 0;
	return restore_leave(inject, t->plan);
}

static int look(struct trapping *t, struct inject *inject)
{
	struct run_signals saved;
	int status;

	if (inject_load(inject))
		return -1;
	t->keeper = keeper_start(restore_undo, &(struct restore){ &t->tracer, t->plan, inject }); /* before: from here on there is something to undo */
	if (enter(t, inject)) {
		keeper_end(t->keeper);
		return -1;
	}
	t->began = t->last = t->last_fresh = monotonic_ms();
	run_take_signals(&saved);
	status = watch(t, inject);
	if (leave(t, inject))
		status = -1;
	keeper_end(t->keeper);
	run_give_signals_back(&saved);
	return status;
}

int trap_attach(int pid, const struct trap_options *options, struct sym *sym, const struct find_sink *sink,
		struct arena *arena, struct trap_result *result)
{
	const char *library = preload_library(arena);
	struct inject inject;
	struct trapping t;
	int status;

	*result = (struct trap_result){ .ended = "not attached" };
	if (!library || inject_open(&inject, pid, library) || check(pid) || trapping_open(&t, options, sym, sink, result))
		return -1;
	t.plan->late = 1;
	status = look(&t, &inject);
	if (!status)
		trapping_finish(&t, sink);
	trapping_close(&t);
	return status;
}
