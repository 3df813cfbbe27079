/*
 * keeper - a process of its own that waits for the end of the host, and restores every byte should that end come
 * unannounced (SIGKILL, a crash). It sleeps in read() all the time and costs nothing.
 *
 * It knows nothing of which sites had an int3: the tables in the shared mapping say what belongs where, and a 0xcc that
 * does not belong there is ours. It looks twice: a process that was just being forked is there the second time.
 * In a session of its own, so that what kills the host's group does not kill it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "find/inject.h"
#include "find/trap/internal.h"

#define AGAIN_US 200000
#define LEAVE_TRIES 50
#define SETTLE_TRIES 300 /* 10 ms apart */

struct keeper {
	pid_t pid;
	int pipe;
};

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

/* ---- the keeper's own ------------------------------------------------------------------------------------- */

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
int keeper_leave(const struct inject *inject, struct trap_plan *plan)
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

static void detach_from_world(int pipe)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_NAME, "deadheat-keeper");
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if (pipe > 3)
		close_range(3, (unsigned)pipe - 1, 0);
	close_range((unsigned)pipe + 1, ~0u, 0);
	for (int i = 1; i < 32; i++)
		if (i != SIGCHLD && i != SIGSEGV && i != SIGBUS)
			signal(i, SIG_IGN);
}

static void keep(int pipe, const struct tracer *tracer, struct trap_plan *plan, const struct inject *inject)
{
	char byte;
	ssize_t n;

	detach_from_world(pipe);
	do
		n = read(pipe, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 0)
		_exit(0); /* it said good-bye */
	__atomic_store_n(&tracer->header->active, 0, __ATOMIC_SEQ_CST);
	restore_all(tracer->header, plan, tracer->plan_size);
	usleep(AGAIN_US);
	restore_all(tracer->header, plan, tracer->plan_size);
	if (inject)
		keeper_leave(inject, plan);
	_exit(0);
}

/* ---- the host's end ------------------------------------------------------------------------------------------ */

struct keeper *keeper_start(const struct tracer *tracer, struct trap_plan *plan, const struct inject *inject)
{
	struct keeper *keeper = calloc(1, sizeof(*keeper));
	int ends[2];

	if (!keeper || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		free(keeper);
		return NULL;
	}
	keeper->pid = fork();
	if (!keeper->pid) {
		close(ends[1]);
		keep(ends[0], tracer, plan, inject);
	}
	close(ends[0]);
	keeper->pipe = ends[1];
	if (keeper->pid < 0) {
		close(ends[1]);
		free(keeper);
		return NULL;
	}
	return keeper;
}

void keeper_end(struct keeper *keeper)
{
	int status;

	if (!keeper)
		return;
	while (send(keeper->pipe, "q", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
	close(keeper->pipe);
	while (waitpid(keeper->pid, &status, 0) < 0 && errno == EINTR)
		;
	free(keeper);
}
