/*
 * thread - slots of threads, from pthread_create to pthread_join.
 *
 *     parent: slot, CREATE record; the real create ----> child: bind, THREAD record, parts
 *                                                        ... the program's start function ...
 *     parent: the real join, JOIN record  <-----------   last destructor round: END, parts, slot free
 *
 * Slots come from our arena and are reused, never unmapped (trace.h, I5). Who joins knows a
 * handle only, and by then the slot may be another's: a table keeps handle -> number, newest
 * wins; a lost entry (more live threads than the table has room) is a lost edge, counted.
 * After its end a thread still runs libc code that frees and unlocks: it is then `gone`,
 * one slot for all, inside for ever.
 */
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/trace/sync.h"

#define HANDLES 8192 /* twice the threads a large server has */

RT_TLS struct trace_thread *trace_tls;

static struct rt_lock lock; /* of the lists */
static struct trace_thread *all, *unused;
static struct trace_thread gone = { .inside = 1, .number = TRACE_NOBODY, .ended = true };
static uint32_t numbers; /* given out so far */
static struct {
	uint64_t handle;
	uint32_t number; /* + 1 */
} handles[HANDLES];

struct trace_thread *trace_threads(void)
{
	return __atomic_load_n(&all, __ATOMIC_ACQUIRE);
}

static void reset(struct trace_thread *t, uintptr_t created_at)
{
	t->inside = 1;
	t->number = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
	t->lock_count = 0;
	t->locks_lost = 0;
	t->ignoring = 0;
	t->chunk = NULL;
	t->chunk_sequence = 0;
	t->lost = 0;
	t->parent = TRACE_NOBODY;
	t->created_at = created_at;
	t->stack_size = 0;
	t->tid = 0;
	rt_memset(t->once_seen, 0, sizeof(t->once_seen));
	rt_memset(t->part, 0, sizeof(t->part));
	trace_tick(t);
	t->ended = false;
}

/* The caller is inside (or has no slot yet: then no handler of ours wants this lock on it either). */
struct trace_thread *trace_thread_new(uintptr_t created_at)
{
	struct trace_thread *t;

	rt_lock(&lock);
	t = unused;
	if (t)
		unused = t->next_free;
	rt_unlock(&lock);
	if (!t) {
		t = rt_arena(sizeof(*t));
		if (!t) {
			trace_count(TRACE_LOST_THREADS);
			return NULL;
		}
		t->ended = true;
		rt_lock(&lock);
		t->next = all;
		__atomic_store_n(&all, t, __ATOMIC_RELEASE);
		rt_unlock(&lock);
	}
	reset(t, created_at);
	return t;
}

void trace_thread_drop(struct trace_thread *t)
{
	t->ended = true;
	t->inside = 1;
	rt_lock(&lock);
	t->next_free = unused;
	unused = t;
	rt_unlock(&lock);
}

static void handle_put(uint64_t handle, uint32_t number)
{
	unsigned at = (handle >> 6) * 0x9e3779b1u % HANDLES;

	for (unsigned i = 0; i < 8; i++) {
		unsigned slot = (at + i) % HANDLES;
		uint64_t old = __atomic_load_n(&handles[slot].handle, __ATOMIC_RELAXED);

		if (old && old != handle && i < 7)
			continue;
		__atomic_store_n(&handles[slot].handle, handle, __ATOMIC_RELAXED);
		__atomic_store_n(&handles[slot].number, number + 1, __ATOMIC_RELEASE);
		return;
	}
}

static uint32_t handle_get(uint64_t handle)
{
	unsigned at = (handle >> 6) * 0x9e3779b1u % HANDLES;

	for (unsigned i = 0; i < 8; i++) {
		unsigned slot = (at + i) % HANDLES;

		if (__atomic_load_n(&handles[slot].handle, __ATOMIC_RELAXED) == handle)
			return __atomic_load_n(&handles[slot].number, __ATOMIC_ACQUIRE) - 1;
	}
	return TRACE_NOBODY;
}

/* The stack of a thread is about [its first frame - its size, its first frame]: for people and for reuse. */
static void learn_stack(struct trace_thread *t)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	bool first = !trace_quiet && t->tid == rt_syscall(SYS_getpid);
	uintptr_t top = first ? (uintptr_t)environ : (uintptr_t)__builtin_thread_pointer();
	size_t most = t->stack_size ? t->stack_size : 8u << 20;

	t->stack_high = (here | 4095) + 1;
	if (top > here && top - here < most) /* a thread's own block, the main thread's environment: above all frames */
		t->stack_high = top;
	t->stack_low = t->stack_high - (t->stack_size ? t->stack_size : 8u << 20);
}

void trace_thread_announce(struct trace_thread *t)
{
	struct trace_r_thread *record = trace_record(t, TRACE_R_THREAD, sizeof(*record), trace_order());

	if (!record)
		return;
	record->head.aux = t->parent;
	record->created_at = t->created_at;
	record->stack_low = t->stack_low;
	record->stack_high = t->stack_high;
	record->tid = t->tid;
	record->unused = 0;
	trace_commit(t, record);
}

/* On the thread itself; leaves it inside. */
void trace_thread_bind(struct trace_thread *t)
{
	trace_tls = t;
	t->tid = trace_quiet ? 0 : rt_syscall(SYS_gettid);
	learn_stack(t);
	if (!trace_header)
		return;
	trace_count(TRACE_THREADS);
	trace_thread_announce(t);
	TRACE_EACH_PART(thread_start, t);
}

struct trace_thread *trace_self_slow(void)
{
	struct trace_thread *t = trace_thread_new(0);

	if (!t)
		return trace_tls = &gone;
	trace_thread_bind(t);
	if (trace_header) /* a thread libc does not know cannot be told of its end; the main thread has none */
		trace_leave(t);
	else
		t->inside = 0;
	return t;
}

/* ---- the end ------------------------------------------------------------------------------ */

static uint32_t end_key; /* + 1 */
static RT_TLS unsigned end_rounds;

static void thread_end(struct trace_thread *self)
{
	struct trace_record *record;

	if (self == &gone || self->ended)
		return;
	self->inside = 1;
	__asm__ volatile("" ::: "memory");
	if (trace_header) {
		TRACE_EACH_PART(thread_end, self);
		record = trace_record(self, TRACE_R_END, sizeof(*record), trace_order());
		if (record)
			trace_commit(self, record);
		trace_flush(self);
	}
	trace_tick(self);
	trace_tls = &gone;
	trace_told_forget();
	trace_thread_drop(self);
}

/* Program destructors may still lock: ours arms itself again up to the last round. */
static void end_round(void *argument)
{
	if (++end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(end_key - 1, argument) == 0)
		return;
	thread_end(argument);
}

void trace_arm_end(struct trace_thread *self)
{
	pthread_key_t key;
	uint32_t none = 0;

	if (!__atomic_load_n(&end_key, __ATOMIC_ACQUIRE)) {
		if (pthread_key_create(&key, end_round))
			return;
		if (!__atomic_compare_exchange_n(&end_key, &none, key + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			pthread_key_delete(key);
	}
	pthread_setspecific(end_key - 1, self);
}

/* ---- create and join -------------------------------------------------------------------------- */

static void life_record(struct trace_thread *self, enum trace_record_type type, uint32_t other)
{
	struct trace_record *record = trace_record(self, type, sizeof(*record), trace_order());

	if (!record)
		return;
	record->aux = other;
	trace_commit(self, record);
}

struct trace_thread *trace_create_begin(void *start, void *argument, uintptr_t pc, size_t stack_size)
{
	struct trace_thread *self, *child;

	if (!trace_header)
		return NULL;
	self = trace_self();
	trace_tick(self);
	if (!trace_enter(self))
		return NULL;
	trace_modules_check(self);
	child = trace_thread_new(pc);
	if (child) {
		child->parent = self->number;
		child->start = start;
		child->argument = argument;
		child->stack_size = stack_size;
		life_record(self, TRACE_R_CREATE, child->number);
	}
	trace_leave(self);
	return child;
}

/* The child has put its own handle already if it runs; it may even be over and its slot another's. */
void trace_create_end(struct trace_thread *child, pthread_t handle, bool runs)
{
	struct trace_thread *self = trace_self();

	if (!runs && trace_enter(self)) {
		trace_thread_drop(child);
		trace_leave(self);
	}
}

void trace_child_begin(struct trace_thread *self)
{
	trace_thread_bind(self);
	handle_put((uint64_t)__builtin_thread_pointer(), self->number);
	trace_arm_end(self);
	trace_leave(self);
}

uint32_t trace_joining(pthread_t handle)
{
	return trace_header ? handle_get((uint64_t)handle) : TRACE_NOBODY;
}

void trace_joined(pthread_t handle, uint32_t number)
{
	struct trace_thread *self;

	if (!trace_header)
		return;
	self = trace_self();
	trace_tick(self);
	if (number == TRACE_NOBODY) /* it had not begun when we asked; it has ended now */
		number = handle_get((uint64_t)handle);
	if (number == TRACE_NOBODY || !trace_enter(self))
		return;
	life_record(self, TRACE_R_JOIN, number);
	trace_leave(self);
}

static void *trampoline(void *argument)
{
	struct trace_thread *self = argument;
	void *(*start)(void *) = (void *(*)(void *))self->start;

	trace_child_begin(self);
	return start(self->argument);
}

RT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			     void *argument)
{
	size_t stack_size = 0;
	struct trace_thread *child;
	int result;

	if (attributes)
		pthread_attr_getstacksize(attributes, &stack_size);
	child = trace_create_begin((void *)start, argument, RT_CALLER, stack_size);
	if (!child)
		return REAL(pthread_create)(thread, attributes, start, argument);
	result = REAL(pthread_create)(thread, attributes, trampoline, child);
	trace_create_end(child, result ? 0 : *thread, !result);
	return result;
}

RT_EXPORT int pthread_join(pthread_t thread, void **value)
{
	uint32_t number = trace_joining(thread);
	int result = REAL(pthread_join)(thread, value);

	if (result == 0)
		trace_joined(thread, number);
	return result;
}

RT_EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
	uint32_t number = trace_joining(thread);
	int result = REAL(pthread_tryjoin_np)(thread, value);

	if (result == 0)
		trace_joined(thread, number);
	return result;
}

RT_EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
	uint32_t number = trace_joining(thread);
	int result = REAL(pthread_timedjoin_np)(thread, value, until);

	if (result == 0)
		trace_joined(thread, number);
	return result;
}

RT_EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *until)
{
	uint32_t number = trace_joining(thread);
	int result = REAL(pthread_clockjoin_np)(thread, value, clock, until);

	if (result == 0)
		trace_joined(thread, number);
	return result;
}

/* ---- fork --------------------------------------------------------------------------------------- */

void trace_threads_fork(bool before)
{
	if (before)
		rt_lock(&lock);
	else
		rt_unlock(&lock);
}

/* Of all threads only the caller is left; its number in the new process is 0. */
void trace_threads_fork_child(struct trace_thread *self)
{
	for (struct trace_thread *t = all; t; t = t->next)
		if (t != self && !t->ended)
			trace_thread_drop(t);
	__atomic_store_n(&numbers, 1, __ATOMIC_RELAXED);
	rt_memset(handles, 0, sizeof(handles));
	self->number = 0;
	self->parent = TRACE_NOBODY;
	self->tid = trace_quiet ? 0 : rt_syscall(SYS_gettid);
	trace_log_fork_child(self);
	trace_thread_announce(self);
}
