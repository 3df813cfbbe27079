/*
 * thread - one record per thread, in order of creation; ids are never reused.
 *
 *   chunks[id >> 8] -> 256 records; a chunk is made when its first id is given out
 *
 * I1  A record is complete before its id is below `count` for others (release).
 * I2  rt_self never fails: beyond the table or the kernel's memory, threads share one
 *     record that is always "inside the runtime", so that nothing of them is heard, and
 *     are counted in WIRE_LOST_THREADS.
 */
#include <sys/resource.h>
#include <sys/syscall.h>

#include "rt/internal.h"

#define CHUNK 256u
#define CHUNKS 4096u /* 2^20 threads over the life of a process */
/* glibc's default where the limit is "unlimited"; and what we believe of the first stack then. */
#define STACK_UNLIMITED (2ul << 20)
#define STACK_MAX (1ul << 30)
/* The thread's descriptor above fs: struct pthread, 2304 bytes in glibc 2.36; up to a page. */
#define DESCRIPTOR 4096ul

RT_TLS struct rt_thread *rt_self_tls;

static struct rt_thread *chunks[CHUNKS];
static uint32_t count, live;
static struct rt_lock lock;
static size_t default_stack;
static struct rt_thread lost = { .id = RT_NO_THREAD, .parent = RT_NO_THREAD, .depth = 1 };

static void announce(const struct rt_thread *thread)
{
	struct wire_pc at = thread->created_at ? rt_place(thread->created_at) : (struct wire_pc){ WIRE_NO_MODULE, 0 };
	struct wire_ev_thread *record;

	if (!rt_wire)
		return;
	record = rt_record(sizeof(*record));
	if (!record)
		return;
	record->id = thread->id;
	record->parent = thread->parent;
	record->nth_child = thread->nth_child;
	record->created_at = at;
	rt_commit(record, WIRE_EV_THREAD);
}

static struct rt_thread *slot(uint32_t id)
{
	struct rt_thread **chunk = &chunks[id / CHUNK];

	if (!*chunk)
		*chunk = rt_arena(CHUNK * sizeof(**chunk));
	return *chunk ? &(*chunk)[id % CHUNK] : NULL;
}

static struct rt_thread *add(struct rt_thread *parent, uintptr_t created_at)
{
	struct rt_thread *thread = NULL;

	rt_lock(&lock);
	if (count < CHUNK * CHUNKS)
		thread = slot(count);
	if (thread) {
		thread->id = count;
		thread->parent = parent ? parent->id : RT_NO_THREAD;
		thread->nth_child = parent ? ++parent->children : 0;
		thread->created_at = created_at;
		__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
		__atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
	}
	rt_unlock(&lock);
	rt_count(thread ? WIRE_THREADS : WIRE_LOST_THREADS);
	if (thread)
		announce(thread);
	return thread ? thread : &lost;
}

struct rt_thread *rt_thread_new(uintptr_t created_at)
{
	return add(rt_self(), created_at);
}

/* glibc puts the descriptor, to which fs points, at the top of the stack's block. */
static void learn_stack(struct rt_thread *thread)
{
	uintptr_t top = (uintptr_t)__builtin_thread_pointer();
	size_t size = thread->stack_size ? thread->stack_size : default_stack;
	uintptr_t low = ((top + DESCRIPTOR) & -(uintptr_t)WIRE_PAGE) - size;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (thread->stack_high || here >= top || here < low)
		return;
	thread->stack_low = low;
	thread->stack_high = top;
}

void rt_thread_bind(struct rt_thread *thread)
{
	rt_self_tls = thread;
	if (thread == &lost)
		return;
	thread->tid = rt_syscall(SYS_gettid);
	thread->handle = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	learn_stack(thread);
}

struct rt_thread *rt_self(void)
{
	if (unlikely(!rt_self_tls))
		rt_thread_bind(add(NULL, 0));
	return rt_self_tls;
}

static size_t stack_limit(size_t unlimited)
{
	struct rlimit limit = { 0, 0 };

	if (rt_syscall(SYS_getrlimit, RLIMIT_STACK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || !limit.rlim_cur)
		return unlimited;
	return (limit.rlim_cur + WIRE_PAGE - 1) & -(size_t)WIRE_PAGE;
}

void rt_thread_start_main(uintptr_t strings)
{
	struct rt_thread *main = rt_self();
	size_t size = stack_limit(STACK_MAX);

	default_stack = stack_limit(STACK_UNLIMITED);
	main->stack_high = (strings + WIRE_PAGE) & -(uintptr_t)WIRE_PAGE;
	main->stack_low = main->stack_high - (size < STACK_MAX ? size : STACK_MAX);
}

uint32_t rt_thread_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

uint32_t rt_thread_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_RELAXED);
}

struct rt_thread *rt_thread_by_id(uint32_t id)
{
	return id < rt_thread_count() ? &chunks[id / CHUNK][id % CHUNK] : NULL;
}

/* Newest first: libc gives a handle out again once its thread was joined. */
struct rt_thread *rt_thread_by_handle(uint64_t handle)
{
	for (uint32_t id = rt_thread_count(); id--;) {
		struct rt_thread *thread = rt_thread_by_id(id);

		if (__atomic_load_n(&thread->handle, __ATOMIC_RELAXED) == handle)
			return thread;
	}
	return NULL;
}

void rt_thread_end(struct rt_thread *thread)
{
	if (thread == &lost || __atomic_exchange_n(&thread->ended, true, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
}

bool rt_frames_make(struct rt_thread *self)
{
	if (self == &lost)
		return false;
	self->frames = rt_arena(RT_SHADOW_STACK * sizeof(*self->frames));
	return self->frames != NULL;
}

void rt_threads_again(void)
{
	rt_count_add(WIRE_THREADS, rt_thread_count());
	for (uint32_t id = 0; id < rt_thread_count(); id++)
		announce(rt_thread_by_id(id));
}

void rt_threads_alone(void)
{
	struct rt_thread *self = rt_self();

	for (uint32_t id = 0; id < rt_thread_count(); id++)
		if (rt_thread_by_id(id) != self)
			rt_thread_end(rt_thread_by_id(id));
	if (self != &lost)
		self->tid = rt_syscall(SYS_gettid);
}

void rt_threads_fork(bool before)
{
	if (before)
		rt_lock(&lock);
	else
		rt_unlock(&lock);
}
