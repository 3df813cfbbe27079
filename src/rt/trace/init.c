/*
 * init - the life of the library in a process: map, take a number, start the parts; fork;
 * the end.
 *
 * The environment is left as it is: what the program starts by exec is traced too, as a
 * process of its own. A mapping that cannot be opened (another user, another name space, the
 * host is gone) or does not fit means: run as if we were not there, and say nothing.
 *
 * The constructor comes before all others (-z initfirst), so no program code has run; still,
 * every stand-in works before it (real.c looks names up at first call, trace_header is NULL).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/internal.h"
#include "rt/trace/trace.h"

struct trace_header *trace_header;
uint32_t trace_process;
bool trace_late;

static const char *variable(char **environment, const char *name)
{
	size_t size = rt_strlen(name);

	for (; environment && *environment; environment++)
		if (!rt_strncmp(*environment, name, size) && (*environment)[size] == '=')
			return *environment + size + 1;
	return NULL;
}

static bool refused(long result)
{
	return result < 0 && result > -4096;
}

static void *map_file(int file, size_t size)
{
	long address = rt_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	return refused(address) ? NULL : (void *)address;
}

static struct trace_header *map_whole(int file)
{
	struct trace_header *head = map_file(file, sizeof(*head));
	size_t size = 0;

	if (!head)
		return NULL;
	if (head->magic == TRACE_MAGIC && head->version == TRACE_VERSION)
		size = head->total_size;
	rt_syscall(SYS_munmap, head, sizeof(*head));
	return size ? map_file(file, size) : NULL;
}

static struct trace_header *map_path(const char *path)
{
	struct trace_header *header;
	long file = rt_syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);

	if (refused(file))
		return NULL;
	header = map_whole(file);
	rt_syscall(SYS_close, file);
	return header;
}

/* A number in the table of processes; false: it is full. */
static bool claim(struct trace_header *header, uint32_t parent)
{
	uint32_t n = __atomic_fetch_add(&header->process_count, 1, __ATOMIC_ACQ_REL);

	if (n >= TRACE_PROCESSES) {
		__atomic_fetch_add(&header->counters[TRACE_LOST_PROCESSES], 1, __ATOMIC_RELAXED);
		return false;
	}
	header->processes[n].pid = trace_quiet ? 0 : rt_syscall(SYS_getpid);
	header->processes[n].parent = parent;
	__atomic_store_n(&header->processes[n].state, TRACE_PROCESS_RUNNING, __ATOMIC_RELEASE);
	trace_process = n;
	return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void at_exit(int status, void *nothing)
{
	struct trace_thread *self = trace_self();

	if (!trace_header)
		return;
	self->inside = 1;
	trace_modules_check(self);
	TRACE_EACH_PART(end, self);
	__atomic_store_n(&trace_header->processes[trace_process].state, TRACE_PROCESS_ENDED, __ATOMIC_RELEASE);
	self->inside = 0;
}

/* ---- fork -------------------------------------------------------------------------------------- */

static RT_TLS bool fork_entered;

static void fork_before(void)
{
	struct trace_thread *self = trace_self();

	if (!trace_header)
		return;
	fork_entered = trace_enter(self);
	TRACE_EACH_PART(fork_before, self);
	trace_modules_fork(true);
	trace_threads_fork(true);
	rt_memory_fork(true);
}

static void locks_back(void)
{
	rt_memory_fork(false);
	trace_threads_fork(false);
	trace_modules_fork(false);
}

static void fork_parent(void)
{
	struct trace_thread *self = trace_self();

	if (!trace_header)
		return;
	locks_back();
	TRACE_EACH_PART(fork_parent, self);
	if (fork_entered)
		trace_leave(self);
}

static void fork_child(void)
{
	struct trace_thread *self = trace_self();
	uint32_t parent = trace_process + 1;

	if (!trace_header)
		return;
	locks_back();
	trace_log_fork_child(self);
	if (claim(trace_header, parent)) {
		trace_count(TRACE_CHILDREN);
		trace_threads_fork_child(self);
		trace_modules_again(self);
		TRACE_EACH_PART(fork_child, self);
	} else {
		TRACE_EACH_PART(fork_child, self); /* what the parent patched is undone even so */
		trace_header = NULL;
		trace_alloc_follow();
	}
	if (fork_entered)
		trace_leave(self);
}

/* ---- the beginning --------------------------------------------------------------------------------- */

extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *library);

/* A second host: what the first one's start has registered with libc is there already. */
static void resume(struct trace_thread *self)
{
	self->inside = 1;
	trace_thread_announce(self);
	trace_modules_refresh(self);
	TRACE_EACH_PART(start, self);
	TRACE_EACH_PART(thread_start, self);
	self->inside = 0;
}

static void begin(struct trace_header *header)
{
	struct trace_thread *self = trace_self();

	self->inside = 1;
	if (!claim(header, 0))
		goto out;
	trace_header = header;
	trace_alloc_follow();
	trace_thread_announce(self);
	trace_modules_refresh(self);
	__register_atfork(fork_before, fork_parent, fork_child, NULL);
	on_exit(at_exit, NULL);
	trace_arm_end(self);
	TRACE_EACH_PART(start, self);
	TRACE_EACH_PART(thread_start, self);
out:
	self->inside = 0;
}

/* Once more for another host: chunks of the former one's mapping are not ours to write to. */
bool trace_begin_late(const char *path)
{
	struct trace_header *header = map_path(path);
	bool again = trace_header != NULL;

	if (!header)
		return false;
	trace_late = true;
	for (struct trace_thread *t = trace_threads(); t; t = t->next)
		if (!t->inside) /* a call still under way keeps writing to the old one */
			t->chunk = NULL;
	if (again) {
		trace_modules_forget();
		if (!claim(header, 0))
			return false;
		trace_header = header;
		trace_alloc_follow();
		resume(trace_self());
	} else {
		begin(header);
	}
	return trace_header == header;
}

__attribute__((constructor(101))) static void start(int argc, char **argv, char **environment)
{
	const char *path = variable(environment, TRACE_ENV);
	struct trace_header *header = path ? map_path(path) : NULL;

	rt_real_start();
	if (header)
		begin(header);
}
