/*
 * mutex - pthread_mutex_*: what libc said decides (EBUSY, ETIMEDOUT, EDEADLK, EPERM change
 * nothing; EOWNERDEAD is a lock taken). An unlock that fails after we took it off the list
 * (errorcheck, not the owner) never had it there.
 */
#include <errno.h>
#include <pthread.h>

#include "rt/trace/sync.h"

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return mutex_told(mutex, REAL(pthread_mutex_lock)(mutex));
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return mutex_told(mutex, REAL(pthread_mutex_trylock)(mutex));
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	return mutex_told(mutex, REAL(pthread_mutex_timedlock)(mutex, until));
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	return mutex_told(mutex, REAL(pthread_mutex_clocklock)(mutex, clock, until));
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (trace_header)
		trace_release(mutex, LOCK_WRITE);
	return REAL(pthread_mutex_unlock)(mutex);
}

/* Old names, still exported by libc. */
extern int __pthread_mutex_lock(pthread_mutex_t *mutex)
	RT_EXPORT __attribute__((alias("pthread_mutex_lock"), copy(pthread_mutex_lock)));
extern int __pthread_mutex_trylock(pthread_mutex_t *mutex)
	RT_EXPORT __attribute__((alias("pthread_mutex_trylock"), copy(pthread_mutex_trylock)));
extern int __pthread_mutex_unlock(pthread_mutex_t *mutex)
	RT_EXPORT __attribute__((alias("pthread_mutex_unlock"), copy(pthread_mutex_unlock)));
