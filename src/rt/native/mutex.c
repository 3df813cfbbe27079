/*
 * mutex - pthread_mutex_*: normal, recursive, errorcheck, robust; try, timed and clock locks.
 *
 * Timed locks do not announce a wish (rt_on_want): they end by themselves, so they close no
 * deadlock. A robust lock whose owner died (EOWNERDEAD) is ours; until it is made consistent
 * nothing changes for the engine.
 */
#include <errno.h>
#include <linux/futex.h>

#include "rt/native/internal.h"

#define KIND_MASK 3       /* PTHREAD_MUTEX_NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE_NP */
#define KIND_ROBUST 16    /* glibc: PTHREAD_MUTEX_ROBUST_NORMAL_NP */

static int kind_of(const pthread_mutex_t *mutex)
{
	return __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
}

/*
 * Of a robust lock whose owner died, the new owner stands in the lock word only, until it is
 * made consistent.
 */
static bool owned(const pthread_mutex_t *mutex)
{
	uint32_t owner = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);

	if (kind_of(mutex) & KIND_ROBUST)
		owner = __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
	return owner == rt_self()->tid;
}

static bool knows_owner(int kind)
{
	int type = kind & KIND_MASK;

	return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK || (kind & KIND_ROBUST);
}

bool native_mutex_is_mine(const pthread_mutex_t *mutex)
{
	return knows_owner(kind_of(mutex)) && owned(mutex);
}

bool native_mutex_gives_up(const pthread_mutex_t *mutex)
{
	int kind = kind_of(mutex);

	if (!knows_owner(kind))
		return true;
	if (!owned(mutex))
		return false;
	return (kind & KIND_MASK) != PTHREAD_MUTEX_RECURSIVE || mutex->__data.__count == 1;
}

void native_mutex_taken(const pthread_mutex_t *mutex, uintptr_t pc)
{
	if ((kind_of(mutex) & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE && mutex->__data.__count > 1)
		return;
	TELL(rt_on_acquire(mutex, LOCK_WRITE, pc));
}

static int told(pthread_mutex_t *mutex, int result, uintptr_t pc)
{
	if (result == 0 || result == EOWNERDEAD)
		native_mutex_taken(mutex, pc);
	return result;
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	if (rt_wire)
		TELL(rt_on_destroy(mutex));
	return REAL(pthread_mutex_init)(mutex, attributes);
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	int result = REAL(pthread_mutex_destroy)(mutex);

	if (rt_wire && result == 0)
		TELL(rt_on_destroy(mutex));
	return result;
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire)
		return REAL(pthread_mutex_lock)(mutex);
	if (!native_mutex_is_mine(mutex))
		TELL(rt_on_want(mutex, LOCK_WRITE, pc));
	return told(mutex, REAL(pthread_mutex_lock)(mutex), pc);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	if (!rt_wire)
		return REAL(pthread_mutex_trylock)(mutex);
	return told(mutex, REAL(pthread_mutex_trylock)(mutex), RT_CALLER);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	if (!rt_wire)
		return REAL(pthread_mutex_timedlock)(mutex, until);
	return told(mutex, REAL(pthread_mutex_timedlock)(mutex, until), RT_CALLER);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	if (!rt_wire)
		return REAL(pthread_mutex_clocklock)(mutex, clock, until);
	return told(mutex, REAL(pthread_mutex_clocklock)(mutex, clock, until), RT_CALLER);
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	uintptr_t pc = RT_CALLER;
	bool gives_up;
	int result;

	if (!rt_wire)
		return REAL(pthread_mutex_unlock)(mutex);
	gives_up = native_mutex_gives_up(mutex);
	if (gives_up)
		TELL(rt_on_release(mutex, LOCK_WRITE, pc));
	result = REAL(pthread_mutex_unlock)(mutex);
	if (gives_up && result != 0)
		TELL(rt_on_acquire(mutex, LOCK_WRITE, pc));
	return result;
}

/* Old names, still exported by libc and by libtsan. */
extern int __pthread_mutex_lock(pthread_mutex_t *mutex)
	RT_EXPORT __attribute__((alias("pthread_mutex_lock"), copy(pthread_mutex_lock)));
extern int __pthread_mutex_unlock(pthread_mutex_t *mutex)
	RT_EXPORT __attribute__((alias("pthread_mutex_unlock"), copy(pthread_mutex_unlock)));
