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
#include "find/preload.h"
#include "find/sample/run.h"

#define SIGNAL 61 /* the runtime's default: both sides must know it beforehand here */

static int watch(struct run *run, pid_t pid, struct sample_result *result)
{
	while (run->phase < 2 && !run_interrupted() && !kill(pid, 0)) {
		usleep((useconds_t)run->nap_ms * 1000);
		run_window(run);
		if (run_drain(run, false))
			return -1;
	}
	result->ended = kill(pid, 0) ? "ended" : "detached";
	return 0;
}

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

/* In, look, out. What was turned is turned back whatever happened in between. */
static int look(struct run *run, struct inject *inject, struct sample_result *result)
{
	uint64_t cpu = cpu_ms(inject->pid);
	struct run_signals saved;
	int64_t answer = -1;
	int status;

	if (inject_load(inject) || inject_call(inject, "deadheat_trace_attach", run->tracer.path, &answer))
		return -1;
	if (answer == 1)
		return error_cannot("--pid %d: another deadheat looks at it already", (int)inject->pid);
	if (answer)
		return error_cannot("--pid %d: it cannot open our mapping %s: run deadheat as its user, in its name space",
				    (int)inject->pid, run->tracer.path);
	run->began = monotonic_ms();
	run_take_signals(&saved);
	status = watch(run, inject->pid, result);
	run->cpu_ms = cpu_ms(inject->pid) - cpu;
	if (!kill(inject->pid, 0) && inject_call(inject, "deadheat_trace_detach", NULL, &answer))
		status = -1;
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
	own.no_steps = true; /* a thread that begins a step while SIGTRAP is given back would be killed */
	status = run_open(&run, &own);
	run.attached = true;
	if (!status)
		status = look(&run, &inject, result);
	if (!status)
		status = run_finish(&run, sym, sink, arena, result);
	run_close(&run);
	return status;
}
