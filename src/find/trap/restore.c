/*
 * restore - every byte as it was, when the host could not do it itself (find/keeper.h), and the way out of a process.
 *
 * It knows nothing of which sites had an int3: the tables in the shared mapping say what belongs where, and a 0xcc that
 * does not belong there is ours. It looks twice: a process that was just being forked is there the second time.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "find/inject.h"
#include "find/trap/internal.h"

#define AGAIN_US 200000
#define LEAVE_TRIES 50
#define SETTLE_TRIES 300 /* 10 ms apart */

/* ---- is nothing of ours under way? -------------------------------------------------------------------- */

/* CPU time of a thread in ns, and whether it sleeps; 0: it is gone. */
static uint64_t thread_time(pid_t pid, const char *tid, bool *sleeps)
{
	unsigned long long used = 0;
	char path[64], line[512] = "";
	const char *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/stat", (int)pid, tid);
	file = fopen(path, "r");
	end = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	*sleeps = end && strchr("SDtTZX", end[2]);
	if (file)
		fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", (int)pid, tid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%llu", &used) != 1)
		used = 0;
	if (file)
		fclose(file);
	return used;
}

#define RAN_NS 2000000 /* of an exception and its signal: thousands of times as long */

/* The thread sleeps, or has run long enough since the bytes are back to have had its signal. */
static bool thread_settled(pid_t pid, const char *tid)
{
	bool sleeps;
	uint64_t began = thread_time(pid, tid, &sleeps), now = began;

	for (int i = 0; i < SETTLE_TRIES && began && !sleeps && now - began < RAN_NS; i++) {
		usleep(10000);
		now = thread_time(pid, tid, &sleeps);
		if (!now)
			return true;
	}
	return !began || sleeps || now - began >= RAN_NS;
}

static bool is_settled(pid_t pid)
{
	bool settled = true;
	struct dirent *entry;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && settled && (entry = readdir(tasks)))
		settled = entry->d_name[0] == '.' || thread_settled(pid, entry->d_name);
	if (tasks)
		closedir(tasks);
	return settled;
}

/* ---- all processes ----------------------------------------------------------------------------------------- */

static void restore_all(struct trace_header *header, struct trap_plan *plan, size_t plan_size)
{
	struct tables tables;
	struct processes processes = { .tables = &tables, .header = header, .random = 1 };

	site_tables_adopt(&tables, plan, plan_size);
	processes_look_all(&processes);
	for (size_t i = 0; i < processes.all.count; i++) {
		struct traced *process = processes.all.items[i];

		__atomic_store_n(&plan->gates[process->number].writing, 1, __ATOMIC_SEQ_CST);
		for (size_t k = 0; process->mem >= 0 && k < process->modules.count; k++)
			module_restore(&processes, process, process->modules.items[k]);
		__atomic_store_n(&plan->gates[process->number].writing, 0, __ATOMIC_SEQ_CST);
	}
	processes_free(&processes);
	site_tables_close(&tables);
}

/* Another deadheat that tries to come in, or a debugger, may have it stopped just now: again and again, for a while. */
int restore_leave(const struct inject *inject, struct trap_plan *plan)
{
	struct inject copy = *inject;
	int64_t answer;
	int status = 0;

	for (int i = 0; i < LEAVE_TRIES && !kill(inject->pid, 0); i++) {
		plan->keep_handler = !is_settled(inject->pid);
		status = inject_call(&copy, "deadheat_trace_detach", NULL, &answer);
		if (!status)
			return 0;
		usleep(AGAIN_US);
	}
	return kill(inject->pid, 0) ? 0 : status;
}

void restore_undo(const void *context)
{
	const struct restore *r = context;

	__atomic_store_n(&r->tracer->header->active, 0, __ATOMIC_SEQ_CST);
	restore_all(r->tracer->header, r->plan, r->tracer->plan_size);
	usleep(AGAIN_US);
	restore_all(r->tracer->header, r->plan, r->tracer->plan_size);
	if (r->inject)
		restore_leave(r->inject, r->plan);
}
