/*
 * rwlock - pthread_rwlock_* and spin locks. Unlock does not say which mode: the list does.
 */
#include "rt/trace/sync.h"

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	return lock_told(lock, LOCK_READ, REAL(pthread_rwlock_rdlock)(lock));
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	return lock_told(lock, LOCK_READ, REAL(pthread_rwlock_tryrdlock)(lock));
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	return lock_told(lock, LOCK_READ, REAL(pthread_rwlock_timedrdlock)(lock, until));
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	return lock_told(lock, LOCK_READ, REAL(pthread_rwlock_clockrdlock)(lock, clock, until));
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return lock_told(lock, LOCK_WRITE, REAL(pthread_rwlock_wrlock)(lock));
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	return lock_told(lock, LOCK_WRITE, REAL(pthread_rwlock_trywrlock)(lock));
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	return lock_told(lock, LOCK_WRITE, REAL(pthread_rwlock_timedwrlock)(lock, until));
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	return lock_told(lock, LOCK_WRITE, REAL(pthread_rwlock_clockwrlock)(lock, clock, until));
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	if (trace_header)
		trace_release(lock, LOCK_WRITE);
	return REAL(pthread_rwlock_unlock)(lock);
}

extern int __pthread_rwlock_rdlock(pthread_rwlock_t *lock)
	RT_EXPORT __attribute__((alias("pthread_rwlock_rdlock"), copy(pthread_rwlock_rdlock)));
extern int __pthread_rwlock_wrlock(pthread_rwlock_t *lock)
	RT_EXPORT __attribute__((alias("pthread_rwlock_wrlock"), copy(pthread_rwlock_wrlock)));
extern int __pthread_rwlock_unlock(pthread_rwlock_t *lock)
	RT_EXPORT __attribute__((alias("pthread_rwlock_unlock"), copy(pthread_rwlock_unlock)));
extern int __pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
	RT_EXPORT __attribute__((alias("pthread_rwlock_tryrdlock"), copy(pthread_rwlock_tryrdlock)));
extern int __pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
	RT_EXPORT __attribute__((alias("pthread_rwlock_trywrlock"), copy(pthread_rwlock_trywrlock)));

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	return lock_told((const void *)lock, LOCK_WRITE, REAL(pthread_spin_lock)(lock));
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	return lock_told((const void *)lock, LOCK_WRITE, REAL(pthread_spin_trylock)(lock));
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	if (trace_header)
		trace_release((const void *)lock, LOCK_WRITE);
	return REAL(pthread_spin_unlock)(lock);
}
