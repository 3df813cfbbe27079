/*
 * cond - pthread_cond_*: the GLIBC_2.3.2 ones; real.c's dlsym gives the default version.
 *
 * A wait gives the mutex up and takes it back, also when it times out; only one that was
 * woken receives. It is a cancellation point: libc takes the mutex back before it runs
 * cleanups, ours first. Binaries that ask for the 2.2.5 versions (before 2003) are not served:
 * their conditions are pointers, which the 2.3.2 functions would not know.
 */
#include "rt/trace/sync.h"

static void cancelled(void *mutex)
{
	trace_acquire(mutex, LOCK_WRITE);
}

int trace_cond_wait(const void *cond, const void *mutex, trace_wait *real, void *argument)
{
	int result;

	if (!trace_header)
		return real(argument);
	trace_release(mutex, LOCK_WRITE);
	pthread_cleanup_push(cancelled, (void *)mutex);
	result = real(argument);
	pthread_cleanup_pop(0);
	if (result != EPERM && result != ENOTRECOVERABLE)
		trace_acquire(mutex, LOCK_WRITE);
	if (result == 0 || result == EOWNERDEAD)
		trace_receive(cond);
	return result;
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
	return trace_cond_wait(cond, mutex, wait_forever, &(struct wait){ cond, mutex, 0, NULL });
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	return trace_cond_wait(cond, mutex, wait_until, &(struct wait){ cond, mutex, 0, until });
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				     const struct timespec *until)
{
	return trace_cond_wait(cond, mutex, wait_on_clock, &(struct wait){ cond, mutex, clock, until });
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	if (trace_header)
		trace_send(cond);
	return REAL(pthread_cond_signal)(cond);
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	if (trace_header)
		trace_send(cond);
	return REAL(pthread_cond_broadcast)(cond);
}
