/*
 * sem - POSIX semaphores, named and not: a post sends, a wait that got one receives.
 *
 * A named semaphore opened twice has one address (libc's promise), so the address is the
 * object here too.
 */
#include <semaphore.h>

#include "rt/native/internal.h"

static int told(sem_t *sem, int result)
{
	if (rt_wire && result == 0)
		TELL(rt_on_receive(sem));
	return result;
}

RT_EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
	if (rt_wire)
		TELL(rt_on_destroy(sem));
	return REAL(sem_init)(sem, shared, value);
}

RT_EXPORT int sem_destroy(sem_t *sem)
{
	int result = REAL(sem_destroy)(sem);

	if (rt_wire && result == 0)
		TELL(rt_on_destroy(sem));
	return result;
}

RT_EXPORT int sem_post(sem_t *sem)
{
	if (rt_wire)
		TELL(rt_on_send(sem));
	return REAL(sem_post)(sem);
}

RT_EXPORT int sem_wait(sem_t *sem)
{
	return told(sem, REAL(sem_wait)(sem));
}

RT_EXPORT int sem_trywait(sem_t *sem)
{
	return told(sem, REAL(sem_trywait)(sem));
}

RT_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	return told(sem, REAL(sem_timedwait)(sem, until));
}

RT_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	return told(sem, REAL(sem_clockwait)(sem, clock, until));
}
