/*
 * cond - pthread_cond_*. The real ones are the GLIBC_2.3.2 versions (the default): an
 * unversioned reference bound straight to libc would get the 2.2.5 ones, which take a pointer
 * for a condition.
 *
 * A wait gives the mutex up and takes it back, also when it times out or fails half-way; only
 * a wait that was woken (0, or EOWNERDEAD of a robust mutex) receives what signals sent. It is
 * a cancellation point: libc takes the mutex back before it runs cleanups, ours among them.
 */
#include <errno.h>

#include "rt/native/internal.h"

struct waiter {
	const pthread_mutex_t *mutex;
	uintptr_t pc;
};

static void cancelled(void *argument)
{
	struct waiter *waiter = argument;

	native_mutex_taken(waiter->mutex, waiter->pc);
}

static int wait_cancellable(struct waiter *waiter, native_wait *real, void *argument)
{
	int result;

	pthread_cleanup_push(cancelled, waiter);
	result = real(argument);
	pthread_cleanup_pop(0);
	return result;
}

int native_cond_wait(const void *cond, const pthread_mutex_t *mutex, native_wait *real, void *argument,
		     uintptr_t pc)
{
	struct waiter waiter = { mutex, pc };
	int result;

	if (!native_mutex_gives_up(mutex))
		return real(argument);
	TELL(rt_on_release(mutex, LOCK_WRITE, pc));
	result = wait_cancellable(&waiter, real, argument);
	if (result != ENOTRECOVERABLE)
		native_mutex_taken(mutex, pc);
	if (result == 0 || result == EOWNERDEAD)
		TELL(rt_on_receive(cond));
	return result;
}

RT_EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
	if (rt_wire)
		TELL(rt_on_destroy(cond));
	return REAL(pthread_cond_init)(cond, attributes);
}

RT_EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
	int result = REAL(pthread_cond_destroy)(cond);

	if (rt_wire && result == 0)
		TELL(rt_on_destroy(cond));
	return result;
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	if (rt_wire)
		TELL(rt_on_send(cond));
	return REAL(pthread_cond_signal)(cond);
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	if (rt_wire)
		TELL(rt_on_send(cond));
	return REAL(pthread_cond_broadcast)(cond);
}

struct wait {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	clockid_t clock;
	const struct timespec *until;
};

static int wait_forever(void *argument)
{
	struct wait *w = argument;

	return REAL(pthread_cond_wait)(w->cond, w->mutex);
}

static int wait_until(void *argument)
{
	struct wait *w = argument;

	return REAL(pthread_cond_timedwait)(w->cond, w->mutex, w->until);
}

static int wait_on_clock(void *argument)
{
	struct wait *w = argument;

	return REAL(pthread_cond_clockwait)(w->cond, w->mutex, w->clock, w->until);
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	struct wait w = { cond, mutex, 0, NULL };

	if (!rt_wire)
		return REAL(pthread_cond_wait)(cond, mutex);
	return native_cond_wait(cond, mutex, wait_forever, &w, RT_CALLER);
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	struct wait w = { cond, mutex, 0, until };

	if (!rt_wire)
		return REAL(pthread_cond_timedwait)(cond, mutex, until);
	return native_cond_wait(cond, mutex, wait_until, &w, RT_CALLER);
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				     const struct timespec *until)
{
	struct wait w = { cond, mutex, clock, until };

	if (!rt_wire)
		return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
	return native_cond_wait(cond, mutex, wait_on_clock, &w, RT_CALLER);
}
