/*
 * host - the host's end of a wire, as small as can be: starts a program on it and prints what
 * the header and the records say, one `name value` a line, for tests/house.
 *
 *   host [-v VERSION] [-w RUNTIME] [-f PLAN_FLAGS] [-l LOG_SIZE] [-c PID] [-x mprotect|membarrier]
 *        FOLDER PROGRAM ARGUMENTS...
 *
 * FOLDER goes in front of LD_LIBRARY_PATH. -c: somebody has claimed it already. -x: the kernel
 * refuses writable text, or membarrier, from here on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/event.h"
#include "wire/plan.h"
#include "wire/wire.h"

static const char *const counter_names[] = {
#define X(symbol, name) name,
	WIRE_COUNTERS(X)
#undef X
};

static struct wire_header *make(int *file, unsigned version, unsigned wanted, unsigned flags, size_t log_size)
{
	size_t plan = 4096, log = 8192, steps = log + log_size, total = steps + 4096;
	struct wire_header *wire;
	struct wire_plan *p;

	*file = memfd_create("wire", 0);
	if (*file < 0 || ftruncate(*file, total) < 0)
		exit(1);
	wire = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
	*wire = (struct wire_header){ .magic = WIRE_MAGIC, .version = version, .wanted_runtime = wanted,
		.total_size = total, .plan_offset = plan, .plan_size = 4096, .log_offset = log, .log_size = log_size,
		.steps_offset = steps, .steps_size = 4096 };
	p = (void *)((char *)wire + plan);
	p->size = sizeof(*p);
	p->flags = flags;
	return wire;
}

static void refuse(const char *what)
{
	struct sock_filter writable_text[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_filter membarrier[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 6, writable_text };

	if (!strcmp(what, "membarrier"))
		program = (struct sock_fprog){ 4, membarrier };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(1);
}

static void records(const struct wire_header *wire)
{
	const char *log = (const char *)wire + wire->log_offset;
	const struct wire_record *r;

	for (uint64_t at = 0; at < wire->log_reserved; at += r->size) {
		r = (const void *)(log + at);
		if (!r->type)
			return;
		if (r->type == WIRE_EV_MODULE) {
			const struct wire_ev_module *m = (const void *)r;

			printf("module %s %s\n", (const char *)(m + 1), m->build_id[0] ? "build-id" : "none");
		} else if (r->type == WIRE_EV_THREAD) {
			const struct wire_ev_thread *t = (const void *)r;

			printf("thread %u parent %d nth %u\n", t->id, (int)t->parent, t->nth_child);
		} else if (r->type == WIRE_EV_NOTE) {
			printf("note %s\n", (const char *)((const struct wire_ev_note *)r + 1));
		}
	}
}

int main(int argc, char **argv)
{
	unsigned version = WIRE_VERSION, wanted = 0, flags = 0, claimed = 0;
	size_t log_size = 1 << 20;
	const char *refused = NULL;
	struct wire_header *wire;
	char number[32], path[4096];
	int option, file, status;

	while ((option = getopt(argc, argv, "+v:w:f:l:c:x:")) != -1)
		switch (option) {
		case 'v': version = atoi(optarg); break;
		case 'w': wanted = atoi(optarg); break;
		case 'f': flags = atoi(optarg); break;
		case 'l': log_size = atoi(optarg); break;
		case 'c': claimed = atoi(optarg); break;
		case 'x': refused = optarg; break;
		default: return 2;
		}
	wire = make(&file, version, wanted, flags, log_size);
	wire->claimed_pid = claimed;
	snprintf(number, sizeof(number), "%d", file);
	snprintf(path, sizeof(path), "%s:/nowhere", argv[optind]);
	if (fork() == 0) {
		setenv(WIRE_ENV, number, 1);
		setenv("LD_LIBRARY_PATH", path, 1);
		if (refused)
			refuse(refused);
		execv(argv[optind + 1], argv + optind + 1);
		_exit(127);
	}
	wait(&status);
	printf("status %d\nstate %u\nruntime %u\nversion %u\nclaimed %d\nrefusal %s\n", status, wire->state,
	       wire->runtime, wire->runtime_version, wire->claimed_pid != claimed, wire->refusal);
	for (int i = 0; i < WIRE_COUNTER_COUNT; i++)
		printf("%s %lu\n", counter_names[i], (unsigned long)wire->counters[i]);
	records(wire);
	return 0;
}
