/*
 * mutex - all kinds of pthread mutexes, in the model.
 *
 * The kind is read from the program's object at first use (glibc's __kind word: type in
 * bits 0-1, robust 4, priority inheritance 5, protection 6, shared 7; -1 after destroy); the lock
 * word is never touched. POSIX error codes come back as glibc 2.36 gives them:
 *
 *                     relock by owner      unlock by another, or unlocked
 *     normal          deadlock (reported)  done all the same
 *     adaptive        deadlock (reported)  done all the same
 *     recursive       counted              EPERM
 *     errorcheck      EDEADLK              EPERM
 *     robust, any     as its type          EPERM
 *
 * Process-shared: the model decides among our own threads, as always; whoever it lets through
 * then takes the real lock too, outside the turns if another process has it.
 *
 * Robust: an owner that ends leaves the lock free and inconsistent; the next one gets it
 * with EOWNERDEAD; unlocked without pthread_mutex_consistent it is lost for everybody.
 */
#include <errno.h>

#include "rt/abi/tell.h"
#include "rt/sched/turn.h"

enum { KIND_TYPE = 3, KIND_ROBUST = 16, KIND_PROTECT = 64, KIND_SHARED = 128 };

struct mutex {
	uint32_t known;     /* the kind was read */
	int32_t kind;
	uint32_t owner;     /* ordinal + 1; 0: free */
	uint32_t count;     /* recursive */
	uint32_t dead;      /* robust: its owner ended */
	uint32_t lost;      /* robust: unlocked without being made consistent */
};
_Static_assert(sizeof(struct mutex) <= sizeof(((struct sched_object *)0)->state), "fits");

static struct mutex *mutex_of(struct sched_object *object)
{
	return (struct mutex *)object->state;
}

static struct sched_object *mutex_object(pthread_mutex_t *mutex)
{
	struct sched_object *object = sched_object(mutex, OBJECT_MUTEX);
	struct mutex *m = mutex_of(object);

	if (!m->known) {
		m->known = 1;
		m->kind = mutex->__data.__kind;
	}
	return object;
}

/* A lock that is no pthread_mutex_t (streams): recursive, by address. */
struct sched_object *mutex_recursive(const void *address)
{
	struct sched_object *object = sched_object(address, OBJECT_MUTEX);

	mutex_of(object)->known = 1;
	mutex_of(object)->kind = PTHREAD_MUTEX_RECURSIVE;
	return object;
}

static int type_of(const struct mutex *m)
{
	return m->kind & KIND_TYPE;
}

static bool is_checked(const struct mutex *m)
{
	return type_of(m) == PTHREAD_MUTEX_RECURSIVE || type_of(m) == PTHREAD_MUTEX_ERRORCHECK ||
	       (m->kind & KIND_ROBUST);
}

static bool owned_by(const struct mutex *m, const struct sched_thread *thread)
{
	return m->owner == thread->ordinal + 1;
}

/* Also when the answer is an error: that needs no waiting. */
static bool can_lock(struct sched_thread *thread, void *argument)
{
	const struct mutex *m = mutex_of(argument);

	if (!m->owner || m->lost)
		return true;
	return owned_by(m, thread) &&
	       (type_of(m) == PTHREAD_MUTEX_RECURSIVE || type_of(m) == PTHREAD_MUTEX_ERRORCHECK);
}

static bool is_shared(const struct mutex *m)
{
	return m->kind > 0 && (m->kind & KIND_SHARED);
}

/*
 * With the model's lock in hand: ours is the only thread here that asks for the real one.
 * until: NULL, or on the real monotonic clock.
 */
static int take_shared(struct sched_object *object, const struct timespec *until, uintptr_t pc)
{
	pthread_mutex_t *real = (pthread_mutex_t *)object->address;
	int error = REAL(pthread_mutex_trylock)(real);

	if (error != EBUSY)
		return error;
	sched_outside_begin(OP_LOCK, pc);
	error = until ? REAL(pthread_mutex_clocklock)(real, CLOCK_MONOTONIC, until) : REAL(pthread_mutex_lock)(real);
	sched_outside_end();
	return error;
}

static void set_owner(struct sched_thread *self, struct sched_object *object, uintptr_t pc)
{
	struct mutex *m = mutex_of(object);

	m->owner = self->ordinal + 1;
	m->count = 1;
	sched_held_add(object, LOCK_WRITE, pc);
}

static void give_up(struct sched_object *object, uintptr_t pc)
{
	struct mutex *m = mutex_of(object);

	if (m->dead)
		m->lost = 1;
	if (m->owner)
		sched_held_remove(object, LOCK_WRITE, pc);
	m->owner = m->count = 0;
	if (is_shared(m))
		REAL(pthread_mutex_unlock)((pthread_mutex_t *)object->address);
}

/* The lock is free, lost, or ours and of a kind that answers: what does lock return? */
static int take(struct sched_thread *self, struct sched_object *object, const struct timespec *until, uintptr_t pc)
{
	struct mutex *m = mutex_of(object);
	int error = 0;

	if (m->lost)
		return ENOTRECOVERABLE;
	if (m->owner) {
		if (type_of(m) == PTHREAD_MUTEX_ERRORCHECK)
			return EDEADLK;
		if (m->count == UINT32_MAX)
			return EAGAIN;
		m->count++;
		return 0;
	}
	set_owner(self, object, pc);
	if (is_shared(m))
		error = take_shared(object, until, pc);
	if (!error || error == EOWNERDEAD)
		return m->dead ? EOWNERDEAD : error;
	sched_held_remove(object, LOCK_WRITE, pc);
	m->owner = m->count = 0;
	return error;
}

int mutex_lock_object(struct sched_object *object, uintptr_t pc)
{
	if (mutex_of(object)->kind < 0)
		return EINVAL;
	TELL(rt_on_want(object->address, LOCK_WRITE, pc));
	sched_wait(OP_LOCK, object, pc, can_lock, object, 0, 0);
	return take(sched_self(), object, NULL, pc);
}

static int try_shared(struct sched_thread *self, struct sched_object *object, uintptr_t pc)
{
	int error = REAL(pthread_mutex_trylock)((pthread_mutex_t *)object->address);

	if (!error || error == EOWNERDEAD)
		set_owner(self, object, pc);
	self->quiet = error == EBUSY;
	return error;
}

int mutex_trylock_object(struct sched_object *object, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	struct mutex *m = mutex_of(object);

	if (m->kind < 0)
		return EINVAL;
	sched_step(OP_TRYLOCK, object, pc, NULL, NULL);
	if (m->owner && !m->lost && !(owned_by(m, self) && type_of(m) == PTHREAD_MUTEX_RECURSIVE)) {
		self->quiet = true;
		return EBUSY;
	}
	if (is_shared(m) && !m->owner)
		return try_shared(self, object, pc);
	return take(self, object, NULL, pc);
}

int sched_mutex_lock(pthread_mutex_t *mutex, uintptr_t pc)
{
	return mutex_lock_object(mutex_object(mutex), pc);
}

int sched_mutex_trylock(pthread_mutex_t *mutex, uintptr_t pc)
{
	return mutex_trylock_object(mutex_object(mutex), pc);
}

/* A bad time matters only to one that has to wait. */
int sched_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	struct sched_object *object = mutex_object(mutex);
	struct timespec real = sched_real_deadline(until, clock, CLOCK_MONOTONIC);
	uint64_t deadline;

	if (mutex_of(object)->kind < 0 || sched_bad_clock(clock))
		return EINVAL;
	TELL(rt_on_want(mutex, LOCK_WRITE, pc));
	deadline = sched_bad_time(until) ? 1 : sched_deadline_from(until, clock);
	if (sched_wait(OP_TIMEDLOCK, object, pc, can_lock, object, deadline, 0) == WAKE_TIMEOUT)
		return sched_bad_time(until) ? EINVAL : ETIMEDOUT;
	return take(self, object, &real, pc);
}

int mutex_unlock_object(struct sched_object *object, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	struct mutex *m = mutex_of(object);

	sched_step(OP_UNLOCK, object, pc, NULL, NULL);
	if (m->kind < 0)
		return EINVAL;
	if (!owned_by(m, self) && is_checked(m))
		return EPERM;
	if (m->owner && --m->count)
		return 0;
	give_up(object, pc);
	return 0;
}

int sched_mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
	return mutex_unlock_object(mutex_object(mutex), pc);
}

int sched_mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc)
{
	struct sched_object *object = mutex_object(mutex);

	sched_step(OP_DESTROY, object, pc, NULL, NULL);
	if (mutex_of(object)->owner && !(mutex_of(object)->kind & KIND_ROBUST))
		return EBUSY;
	TELL(rt_on_destroy(mutex));
	sched_object_destroy(mutex);
	return REAL(pthread_mutex_destroy)(mutex);
}

bool sched_mutex_is_shared(pthread_mutex_t *mutex)
{
	return is_shared(mutex_of(mutex_object(mutex)));
}

/* For a shared condition: the real lock stays locked, the real wait lets it go. */
int sched_mutex_release_model(pthread_mutex_t *mutex, uint32_t *count, uintptr_t pc)
{
	struct sched_object *object = mutex_object(mutex);
	struct mutex *m = mutex_of(object);

	if (!owned_by(m, sched_self()))
		return EPERM;
	*count = m->count;
	sched_held_remove(object, LOCK_WRITE, pc);
	m->owner = m->count = 0;
	return 0;
}

/* A condition wait lets go without a point of its own; returns what unlock would. */
int sched_mutex_release(pthread_mutex_t *mutex, uint32_t *count, uintptr_t pc)
{
	struct sched_object *object = mutex_object(mutex);
	struct mutex *m = mutex_of(object);

	if (!owned_by(m, sched_self()) && is_checked(m))
		return EPERM;
	*count = m->count;
	give_up(object, pc);
	return 0;
}

/* ... and takes it back, a recursive one as deep as it was. */
int sched_mutex_retake(pthread_mutex_t *mutex, uint32_t count, uintptr_t pc)
{
	struct sched_object *object = mutex_object(mutex);
	int error;

	sched_wait(OP_LOCK, object, pc, can_lock, object, 0, 0);
	error = take(sched_self(), object, NULL, pc);
	if (!error || error == EOWNERDEAD)
		mutex_of(object)->count = count;
	return error;
}

void sched_mutex_owner_ends(struct sched_thread *self)
{
	uint32_t i = self->held_count;

	while (i-- > 0) {
		struct sched_object *object = self->held[i].object;
		struct mutex *m = mutex_of(object);

		if (object->kind != OBJECT_MUTEX || !(m->kind & KIND_ROBUST))
			continue;
		m->dead = !is_shared(m); /* of a shared one the real lock remembers it */
		m->owner = m->count = 0;
		sched_held_remove(object, LOCK_WRITE, self->pc);
	}
}

/* ---- the names --------------------------------------------------------------------------------- */

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	int error = REAL(pthread_mutex_init)(mutex, attributes);

	if (sched_self() && !error) {
		sched_object_destroy(mutex);
		mutex_object(mutex);
	}
	return error;
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	return sched_self() ? sched_mutex_destroy(mutex, RT_CALLER) : REAL(pthread_mutex_destroy)(mutex);
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return sched_self() ? sched_mutex_lock(mutex, RT_CALLER) : REAL(pthread_mutex_lock)(mutex);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return sched_self() ? sched_mutex_trylock(mutex, RT_CALLER) : REAL(pthread_mutex_trylock)(mutex);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	if (!sched_self())
		return REAL(pthread_mutex_timedlock)(mutex, until);
	return sched_mutex_clocklock(mutex, CLOCK_REALTIME, until, RT_CALLER);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
				      const struct timespec *restrict until)
{
	if (!sched_self())
		return REAL(pthread_mutex_clocklock)(mutex, clock, until);
	return sched_mutex_clocklock(mutex, clock, until, RT_CALLER);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	return sched_self() ? sched_mutex_unlock(mutex, RT_CALLER) : REAL(pthread_mutex_unlock)(mutex);
}

extern int __pthread_mutex_lock(pthread_mutex_t *mutex) RT_EXPORT
	__attribute__((alias("pthread_mutex_lock"), copy(pthread_mutex_lock)));
extern int __pthread_mutex_unlock(pthread_mutex_t *mutex) RT_EXPORT
	__attribute__((alias("pthread_mutex_unlock"), copy(pthread_mutex_unlock)));

RT_EXPORT int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
	struct sched_thread *self = sched_self();
	struct mutex *m;

	if (!self)
		return REAL(pthread_mutex_consistent)(mutex);
	m = mutex_of(mutex_object(mutex));
	if (is_shared(m))
		return REAL(pthread_mutex_consistent)(mutex);
	if (!(m->kind & KIND_ROBUST) || !m->dead || !owned_by(m, self))
		return EINVAL;
	m->dead = 0;
	return 0;
}

/* Ceilings have no effect on one core under our turns; the real object keeps the number. */
RT_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t *restrict mutex, int ceiling, int *restrict old)
{
	int error;

	if (!sched_self())
		return REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
	if (!(mutex_of(mutex_object(mutex))->kind & KIND_PROTECT))
		return EINVAL;
	error = sched_mutex_lock(mutex, RT_CALLER);
	if (error)
		return error;
	error = REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
	sched_mutex_unlock(mutex, RT_CALLER);
	return error;
}
