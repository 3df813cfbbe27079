/*
 * sem - semaphores and barriers: a post sends, a wait that succeeded receives; a barrier does
 * both. errno of the real call is not touched: nothing here makes a libc call after it.
 */
#include <semaphore.h>

#include "rt/trace/sync.h"

static int waited(sem_t *sem, int result)
{
	if (trace_header && result == 0)
		trace_receive(sem);
	return result;
}

RT_EXPORT int sem_wait(sem_t *sem)
{
	return waited(sem, REAL(sem_wait)(sem));
}

RT_EXPORT int sem_trywait(sem_t *sem)
{
	return waited(sem, REAL(sem_trywait)(sem));
}

RT_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	return waited(sem, REAL(sem_timedwait)(sem, until));
}

RT_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	return waited(sem, REAL(sem_clockwait)(sem, clock, until));
}

RT_EXPORT int sem_post(sem_t *sem)
{
	if (trace_header)
		trace_send(sem);
	return REAL(sem_post)(sem);
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	int result;

	if (!trace_header)
		return REAL(pthread_barrier_wait)(barrier);
	trace_send(barrier);
	result = REAL(pthread_barrier_wait)(barrier);
	trace_receive(barrier);
	return result;
}
