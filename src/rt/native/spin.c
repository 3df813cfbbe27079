/*
 * spin - pthread_spin_*: a mutex by another name. pthread_spinlock_t is one volatile int.
 */
#include "rt/native/internal.h"

/* The engine's keys are addresses, whatever the qualifier. */
static const void *key(pthread_spinlock_t *lock)
{
	return (const void *)(uintptr_t)lock;
}

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	if (rt_wire)
		TELL(rt_on_destroy(key(lock)));
	return REAL(pthread_spin_init)(lock, shared);
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	int result = REAL(pthread_spin_destroy)(lock);

	if (rt_wire && result == 0)
		TELL(rt_on_destroy(key(lock)));
	return result;
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	uintptr_t pc = RT_CALLER;
	int result;

	if (!rt_wire)
		return REAL(pthread_spin_lock)(lock);
	TELL(rt_on_want(key(lock), LOCK_WRITE, pc));
	result = REAL(pthread_spin_lock)(lock);
	if (result == 0)
		TELL(rt_on_acquire(key(lock), LOCK_WRITE, pc));
	return result;
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	int result = REAL(pthread_spin_trylock)(lock);

	if (rt_wire && result == 0)
		TELL(rt_on_acquire(key(lock), LOCK_WRITE, RT_CALLER));
	return result;
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	if (rt_wire)
		TELL(rt_on_release(key(lock), LOCK_WRITE, RT_CALLER));
	return REAL(pthread_spin_unlock)(lock);
}
