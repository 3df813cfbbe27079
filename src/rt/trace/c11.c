/*
 * c11 - thrd_ mtx_ cnd_: glibc's do not pass through the pthread symbols; the objects are
 * the pthread ones by other names.
 */
#include <threads.h>

#include "rt/trace/sync.h"

RT_EXPORT int mtx_lock(mtx_t *mutex)
{
	return lock_told(mutex, LOCK_WRITE, REAL(mtx_lock)(mutex));
}

RT_EXPORT int mtx_trylock(mtx_t *mutex)
{
	return lock_told(mutex, LOCK_WRITE, REAL(mtx_trylock)(mutex));
}

RT_EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
	return lock_told(mutex, LOCK_WRITE, REAL(mtx_timedlock)(mutex, until));
}

RT_EXPORT int mtx_unlock(mtx_t *mutex)
{
	if (trace_header)
		trace_release(mutex, LOCK_WRITE);
	return REAL(mtx_unlock)(mutex);
}

struct wait {
	cnd_t *cond;
	mtx_t *mutex;
	const struct timespec *until;
};

static int wait_forever(void *argument)
{
	struct wait *w = argument;

	return REAL(cnd_wait)(w->cond, w->mutex);
}

static int wait_until(void *argument)
{
	struct wait *w = argument;

	return REAL(cnd_timedwait)(w->cond, w->mutex, w->until);
}

RT_EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return trace_cond_wait(cond, mutex, wait_forever, &(struct wait){ cond, mutex, NULL });
}

RT_EXPORT int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
	return trace_cond_wait(cond, mutex, wait_until, &(struct wait){ cond, mutex, until });
}

RT_EXPORT int cnd_signal(cnd_t *cond)
{
	if (trace_header)
		trace_send(cond);
	return REAL(cnd_signal)(cond);
}

RT_EXPORT int cnd_broadcast(cnd_t *cond)
{
	if (trace_header)
		trace_send(cond);
	return REAL(cnd_broadcast)(cond);
}

static int trampoline(void *argument)
{
	struct trace_thread *self = argument;

	trace_child_begin(self);
	return ((thrd_start_t)(uintptr_t)self->start)(self->argument);
}

RT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	struct trace_thread *child = trace_create_begin((void *)(uintptr_t)start, argument, RT_CALLER, 0);
	int result;

	if (!child)
		return REAL(thrd_create)(thread, start, argument);
	result = REAL(thrd_create)(thread, trampoline, child);
	trace_create_end(child, result == thrd_success ? *thread : 0, result == thrd_success);
	return result;
}

RT_EXPORT int thrd_join(thrd_t thread, int *value)
{
	uint32_t number = trace_joining(thread);
	int result = REAL(thrd_join)(thread, value);

	if (result == thrd_success)
		trace_joined(thread, number);
	return result;
}
