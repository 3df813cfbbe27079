/*
 * rwlock - the model of pthread_rwlock_t.
 *
 * Readers share, a writer is alone. As glibc: PTHREAD_RWLOCK_PREFER_READER_NP (the default)
 * and PREFER_WRITER_NP let a reader in whenever no writer holds the lock;
 * PREFER_WRITER_NONRECURSIVE_NP also keeps it out while a writer waits. The writer that asks
 * again gets EDEADLK; a reader that asks for writing waits for itself, and that is the
 * deadlock it is. Locks shared between processes stay libc's, taken outside.
 */
#include <errno.h>

#include "rt/abi/tell.h"
#include "rt/sched/internal.h"

struct rwlock {
	uint32_t known;
	uint32_t kind;            /* PTHREAD_RWLOCK_PREFER_* */
	uint32_t shared;          /* between processes: not modelled */
	uint32_t writer;          /* ordinal + 1; 0 none */
	uint32_t readers;
	uint32_t writers_waiting;
	/* Threads that read-lock it more than once: the engine hears the outermost only. */
	struct { uint32_t thread, count; } again[12];
};
_Static_assert(sizeof(struct rwlock) <= sizeof(((struct sched_object *)0)->state), "fits");

static struct rwlock *model(struct sched_object *object)
{
	return (struct rwlock *)object->state;
}

/* PTHREAD_RWLOCK_INITIALIZER and what pthread_rwlock_init wrote are the same bytes. */
static struct sched_object *rwlock_object(const pthread_rwlock_t *lock)
{
	struct sched_object *object = sched_object(lock, OBJECT_RWLOCK);
	struct rwlock *rw = model(object);

	if (!rw->known) {
		rw->known = 1;
		rw->kind = lock->__data.__flags;
		rw->shared = lock->__data.__shared != 0;
	}
	return object;
}

static bool may_read(struct sched_thread *thread, void *argument)
{
	const struct rwlock *rw = argument;

	(void)thread;
	return !rw->writer &&
	       !(rw->kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP && rw->writers_waiting);
}

static bool may_write(struct sched_thread *thread, void *argument)
{
	const struct rwlock *rw = argument;

	(void)thread;
	return !rw->writer && !rw->readers;
}

/* Where this thread's further read locks are counted; a free place if there are none; NULL: full. */
static uint32_t *count_again(struct rwlock *rw, uint32_t thread)
{
	uint32_t *free = NULL;

	for (unsigned i = 0; i < sizeof(rw->again) / sizeof(rw->again[0]); i++) {
		if (rw->again[i].count && rw->again[i].thread == thread)
			return &rw->again[i].count;
		if (!rw->again[i].count && !free) {
			rw->again[i].thread = thread;
			free = &rw->again[i].count;
		}
	}
	return free;
}

static bool reads_already(const struct sched_object *object)
{
	const struct sched_thread *self = sched_self();

	for (uint32_t i = self->held_count; i-- > 0;)
		if (self->held[i].object == object && self->held[i].mode == LOCK_READ)
			return true;
	return false;
}

static void take_read(struct sched_object *object, uintptr_t pc)
{
	struct rwlock *rw = model(object);
	uint32_t *again = reads_already(object) ? count_again(rw, sched_self()->ordinal) : NULL;

	rw->readers++;
	if (again)
		++*again;
	else
		sched_held_add(object, LOCK_READ, pc);
}

static void give_read(struct sched_object *object, uintptr_t pc)
{
	struct rwlock *rw = model(object);
	uint32_t *again = count_again(rw, sched_self()->ordinal);

	if (again && *again)
		--*again;
	else
		sched_held_remove(object, LOCK_READ, pc);
	rw->readers--;
}

static void take(struct sched_object *object, enum lock_mode mode, uintptr_t pc)
{
	if (mode == LOCK_READ) {
		take_read(object, pc);
		return;
	}
	model(object)->writer = sched_self()->ordinal + 1;
	sched_held_add(object, LOCK_WRITE, pc);
}

static int rwlock_take(struct sched_object *object, enum lock_mode mode, uint64_t deadline_ns, uintptr_t pc)
{
	struct rwlock *rw = model(object);
	bool write = mode == LOCK_WRITE;
	enum sched_wake wake;

	if (rw->writer == sched_self()->ordinal + 1) {
		sched_step(write ? OP_WRLOCK : OP_RDLOCK, object, pc, NULL, NULL);
		return EDEADLK;
	}
	TELL(rt_on_want(object->address, mode, pc));
	rw->writers_waiting += write;
	wake = sched_wait(write ? OP_WRLOCK : OP_RDLOCK, object, pc, write ? may_write : may_read, rw, deadline_ns, 0);
	rw->writers_waiting -= write;
	if (wake == WAKE_TIMEOUT)
		return ETIMEDOUT;
	take(object, mode, pc);
	return 0;
}

static int rwlock_try(struct sched_object *object, enum lock_mode mode, uintptr_t pc)
{
	struct rwlock *rw = model(object);

	sched_step(OP_TRYLOCK, object, pc, NULL, NULL);
	if (!(mode == LOCK_WRITE ? may_write : may_read)(NULL, rw)) {
		sched_self()->quiet = true;
		return EBUSY;
	}
	take(object, mode, pc);
	return 0;
}

static int rwlock_timed(pthread_rwlock_t *lock, enum lock_mode mode, clockid_t clock, const struct timespec *until,
			uintptr_t pc)
{
	if (sched_bad_clock(clock) || sched_bad_time(until))
		return EINVAL;
	return rwlock_take(rwlock_object(lock), mode, sched_deadline_from(until, clock), pc);
}

/* A call on a lock other processes use: really made, outside. */
#define NATIVE(call) ({ \
	int native_result; \
	sched_outside_begin(OP_LOCK, RT_CALLER); \
	native_result = (call); \
	sched_outside_end(); \
	native_result; })

#define PASS(name, lock, ...) do { \
	if (!sched_self()) \
		return REAL(name)(lock, ##__VA_ARGS__); \
	if (model(rwlock_object(lock))->shared) \
		return NATIVE(REAL(name)(lock, ##__VA_ARGS__)); \
} while (0)

RT_EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
	if (sched_self())
		sched_object_destroy(lock);
	return REAL(pthread_rwlock_init)(lock, attributes);
}

RT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
	if (sched_self()) {
		sched_step(OP_DESTROY, rwlock_object(lock), RT_CALLER, NULL, NULL);
		TELL(rt_on_destroy(lock));
		sched_object_destroy(lock);
	}
	return REAL(pthread_rwlock_destroy)(lock);
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	PASS(pthread_rwlock_rdlock, lock);
	return rwlock_take(rwlock_object(lock), LOCK_READ, 0, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	PASS(pthread_rwlock_wrlock, lock);
	return rwlock_take(rwlock_object(lock), LOCK_WRITE, 0, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	PASS(pthread_rwlock_tryrdlock, lock);
	return rwlock_try(rwlock_object(lock), LOCK_READ, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	PASS(pthread_rwlock_trywrlock, lock);
	return rwlock_try(rwlock_object(lock), LOCK_WRITE, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	PASS(pthread_rwlock_timedrdlock, lock, until);
	return rwlock_timed(lock, LOCK_READ, CLOCK_REALTIME, until, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	PASS(pthread_rwlock_timedwrlock, lock, until);
	return rwlock_timed(lock, LOCK_WRITE, CLOCK_REALTIME, until, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	PASS(pthread_rwlock_clockrdlock, lock, clock, until);
	return rwlock_timed(lock, LOCK_READ, clock, until, RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	PASS(pthread_rwlock_clockwrlock, lock, clock, until);
	return rwlock_timed(lock, LOCK_WRITE, clock, until, RT_CALLER);
}

/* Which of the two it gives up is found as glibc does: the writer's lock is a write lock. */
RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	struct sched_object *object;
	struct rwlock *rw;

	PASS(pthread_rwlock_unlock, lock);
	object = rwlock_object(lock);
	rw = model(object);
	sched_step(OP_RWUNLOCK, object, RT_CALLER, NULL, NULL);
	if (rw->writer == sched_self()->ordinal + 1) {
		sched_held_remove(object, LOCK_WRITE, RT_CALLER);
		rw->writer = 0;
	} else if (rw->readers) {
		give_read(object, RT_CALLER);
	} else {
		return EPERM;
	}
	return 0;
}
