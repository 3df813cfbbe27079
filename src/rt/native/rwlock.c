/*
 * rwlock - pthread_rwlock_*. Who unlocks as what: glibc notes the writer (__cur_writer);
 * anyone else who unlocks held it for reading.
 */
#include "rt/native/internal.h"

static bool is_writer(const pthread_rwlock_t *lock)
{
	return (uint32_t)__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == rt_self()->tid;
}

static int told_read(pthread_rwlock_t *lock, int result, uintptr_t pc)
{
	if (result == 0 && native_depth_enter(lock))
		TELL(rt_on_acquire(lock, LOCK_READ, pc));
	return result;
}

static int told_write(pthread_rwlock_t *lock, int result, uintptr_t pc)
{
	if (result == 0)
		TELL(rt_on_acquire(lock, LOCK_WRITE, pc));
	return result;
}

RT_EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
	if (rt_wire)
		TELL(rt_on_destroy(lock));
	return REAL(pthread_rwlock_init)(lock, attributes);
}

RT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
	int result = REAL(pthread_rwlock_destroy)(lock);

	if (rt_wire && result == 0)
		TELL(rt_on_destroy(lock));
	return result;
}

RT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire)
		return REAL(pthread_rwlock_rdlock)(lock);
	if (!native_depth_any(lock))
		TELL(rt_on_want(lock, LOCK_READ, pc));
	return told_read(lock, REAL(pthread_rwlock_rdlock)(lock), pc);
}

RT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	if (!rt_wire)
		return REAL(pthread_rwlock_tryrdlock)(lock);
	return told_read(lock, REAL(pthread_rwlock_tryrdlock)(lock), RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	if (!rt_wire)
		return REAL(pthread_rwlock_timedrdlock)(lock, until);
	return told_read(lock, REAL(pthread_rwlock_timedrdlock)(lock, until), RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	if (!rt_wire)
		return REAL(pthread_rwlock_clockrdlock)(lock, clock, until);
	return told_read(lock, REAL(pthread_rwlock_clockrdlock)(lock, clock, until), RT_CALLER);
}

RT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire)
		return REAL(pthread_rwlock_wrlock)(lock);
	TELL(rt_on_want(lock, LOCK_WRITE, pc));
	return told_write(lock, REAL(pthread_rwlock_wrlock)(lock), pc);
}

RT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	if (!rt_wire)
		return REAL(pthread_rwlock_trywrlock)(lock);
	return told_write(lock, REAL(pthread_rwlock_trywrlock)(lock), RT_CALLER);
}

RT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	if (!rt_wire)
		return REAL(pthread_rwlock_timedwrlock)(lock, until);
	return told_write(lock, REAL(pthread_rwlock_timedwrlock)(lock, until), RT_CALLER);
}

RT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	if (!rt_wire)
		return REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
	return told_write(lock, REAL(pthread_rwlock_clockwrlock)(lock, clock, until), RT_CALLER);
}

RT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire)
		return REAL(pthread_rwlock_unlock)(lock);
	if (is_writer(lock))
		TELL(rt_on_release(lock, LOCK_WRITE, pc));
	else if (native_depth_leave(lock))
		TELL(rt_on_release(lock, LOCK_READ, pc));
	return REAL(pthread_rwlock_unlock)(lock);
}
