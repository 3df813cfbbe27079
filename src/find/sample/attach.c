/*
 * attach - a process that runs already (--pid): load the library, turn its calls to us, look for
 * --duration (or until interrupted, or until it ends), turn them back.
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

#define SIGNAL 61 /* the runtime's default: both sides must know it beforehand here */

static uint64_t cpu_ms(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char name[64];
	FILE *stat;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	stat = fopen(name, "r");
	if (!stat)
		return 0;
	if (fscanf(stat, "%*d %*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		user = system = 0;
	fclose(stat);
	return (user + system) * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

static int watch(struct run *run, struct inject *inject, struct sample_result *result)
{
	uint64_t before = cpu_ms(inject->pid), now;

	while (run->phase < 2 && !run_interrupted() && inject_state(inject) == INJECT_INSIDE) {
		usleep((useconds_t)run->nap_ms * 1000);
		now = cpu_ms(inject->pid);
		if (now > before) /* 0: it is gone */
			run->cpu_ms = now - before;
		run_window(run);
		run_look(run);
		if (run_drain(run, false))
			return -1;
	}
	result->ended = inject_ended(inject);
	return 0;
}

/* Should we be killed. */
struct within {
	const struct run *run;
	struct inject *inject;
};

static void undo(const void *context)
{
	const struct within *w = context;

	__atomic_store_n(&w->run->tracer.header->active, 0, __ATOMIC_SEQ_CST);
	inject_leave(w->inject, w->run->tracer.path);
}

static int enter(struct run *run, struct inject *inject)
{
	int64_t answer = -1;

	if (inject_call(inject, "deadheat_trace_attach", run->tracer.path, &answer))
		return -1;
	if (answer == 1)
		return error_cannot("--pid %d: another deadheat looks at it already", (int)inject->pid);
	if (answer)
		return error_cannot("--pid %d: it cannot open our mapping %s: run deadheat as its user, in its name space",
				    (int)inject->pid, run->tracer.path);
	return 0;
}

/* In, look, out. What was turned is turned back whatever happened in between. */
static int look(struct run *run, struct inject *inject, struct sample_result *result)
{
	struct run_signals saved;
	struct keeper *keeper;
	int status;

	if (inject_load(inject))
		return -1;
	keeper = keeper_start(undo, &(struct within){ run, inject }); /* before: from here on there is something to undo */
	if (enter(run, inject)) {
		keeper_end(keeper);
		return -1;
	}
	run->began = monotonic_ms();
	run_take_signals(&saved);
	status = watch(run, inject, result);
	if (inject_leave(inject, run->tracer.path))
		status = -1;
	keeper_end(keeper);
	run_give_signals_back(&saved);
	return status;
}

int sample_attach(int pid, const struct sample_options *options, struct sym *sym, const struct find_sink *sink,
		  struct arena *arena, struct sample_result *result)
{
	struct sample_options own = *options;
	const char *library = preload_library(arena);
	struct inject inject;
	struct run run;
	int status;

	*result = (struct sample_result){ .ended = "not attached", .sampler = "none" };
	if (!library || inject_open(&inject, pid, library))
		return -1;
	if (!own.signal)
		own.signal = SIGNAL;
	status = run_open(&run, &own, sink);
	run.attached = true;
	if (!status)
		status = look(&run, &inject, result);
	if (!status)
		status = run_finish(&run, sym, sink, arena, result);
	run_close(&run);
	return status;
}
