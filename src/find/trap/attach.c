/*
 * attach - a process that runs already (--pid): our library into it, int3s and watchpoints as ever, all of it out again.
 *
 * Its threads each get a breakpoint event of their own (rt/trap/watch.c); those they make inherit them. An int3 in a
 * thread that blocks SIGTRAP would kill the process: such a process is refused.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "find/inject.h"
#include "find/preload.h"
#include "find/sample/run.h"
#include "find/trap/internal.h"

#define MASK_TRIES 100 /* 10 ms apart: a handler that blocks everything is soon over */

/* The line of a thread's status, as a number by base; 0 where there is none. */
static unsigned long long status_of(pid_t pid, const char *tid, const char *name, int base)
{
	unsigned long long value = 0;
	char path[64], line[256];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/status", (int)pid, tid);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, base);
	if (status)
		fclose(status);
	return value;
}

/* A thread that blocks SIGTRAP; 0: none. */
static int who_blocks(pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int found = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && !found && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.' && status_of(pid, entry->d_name, "SigBlk:", 16) >> (SIGTRAP - 1) & 1)
			found = atoi(entry->d_name);
	if (tasks)
		closedir(tasks);
	return found;
}

static int check(pid_t pid)
{
	char name[16];
	int blocks = 0;

	snprintf(name, sizeof(name), "%d", (int)pid);
	if (status_of(pid, name, "TracerPid:", 10))
		return error_cannot("--pid %d is traced already (gdb, strace): let go of it first", (int)pid);
	if (process_filters(pid) > process_filters(getpid()))
		return error_cannot("--pid %d has a seccomp filter: our system calls inside it might kill it", (int)pid);
	for (int i = 0; i < MASK_TRIES && (blocks = who_blocks(pid)); i++)
		usleep(10000);
	if (blocks)
		return error_cannot("--pid %d: its thread %d blocks SIGTRAP, a trap there would kill it: start the program with "
				    "`deadheat trap PROG`, or use `deadheat sample --pid`", (int)pid, blocks);
	return 0;
}

static int watch(struct trapping *t, pid_t pid)
{
	while (!t->over && !run_interrupted() && !kill(pid, 0)) {
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
	if (kill(inject->pid, 0)) {
		t->result->ended = "ended";
		return 0;
	}
	t->result->ended = "detached";
	return keeper_leave(inject, t->plan);
}

static int look(struct trapping *t, struct inject *inject)
{
	struct run_signals saved;
	int status;

	if (inject_load(inject))
		return -1;
	t->keeper = keeper_start(&t->tracer, t->plan, inject); /* before: from here on there is something to undo */
	if (enter(t, inject)) {
		keeper_end(t->keeper);
		return -1;
	}
	t->began = t->last = t->last_fresh = monotonic_ms();
	run_take_signals(&saved);
	status = watch(t, inject->pid);
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
