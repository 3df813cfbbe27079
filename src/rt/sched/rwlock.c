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

static void take(struct sched_object *object, enum lock_mode mode, uintptr_t pc)
{
	struct rwlock *rw = model(object);

	if (mode == LOCK_WRITE)
		rw->writer = sched_self()->ordinal + 1;
	else
		rw->readers++;
	sched_held_add(object, mode, pc);
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
	enum lock_mode mode;

	PASS(pthread_rwlock_unlock, lock);
	object = rwlock_object(lock);
	rw = model(object);
	sched_step(OP_RWUNLOCK, object, RT_CALLER, NULL, NULL);
	mode = rw->writer == sched_self()->ordinal + 1 ? LOCK_WRITE : LOCK_READ;
	if (mode == LOCK_READ && !rw->readers)
		return EPERM;
	sched_held_remove(object, mode, RT_CALLER);
	if (mode == LOCK_WRITE)
		rw->writer = 0;
	else
		rw->readers--;
	return 0;
}
