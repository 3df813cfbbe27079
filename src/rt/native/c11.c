/*
 * c11 - thrd_ mtx_ cnd_ call_once: glibc's do not pass through the pthread symbols.
 *
 * mtx_t, cnd_t, once_flag and thrd_t are pthread_mutex_t, pthread_cond_t, pthread_once_t and
 * pthread_t by other names (glibc asserts the sizes), so what mutex.c, cond.c, once.c and
 * thread.c know holds here. tss_* order nothing and are left to libc.
 */
#include <threads.h>

#include "rt/native/internal.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "thrd_t is a pthread_t");

static pthread_mutex_t *as_mutex(mtx_t *mutex)
{
	return (pthread_mutex_t *)mutex;
}

static int told(mtx_t *mutex, int result, uintptr_t pc)
{
	if (result == thrd_success)
		native_mutex_taken(as_mutex(mutex), pc);
	return result;
}

RT_EXPORT int mtx_init(mtx_t *mutex, int type)
{
	if (rt_wire)
		TELL(rt_on_destroy(mutex));
	return REAL(mtx_init)(mutex, type);
}

RT_EXPORT void mtx_destroy(mtx_t *mutex)
{
	REAL(mtx_destroy)(mutex);
	if (rt_wire)
		TELL(rt_on_destroy(mutex));
}

RT_EXPORT int mtx_lock(mtx_t *mutex)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire)
		return REAL(mtx_lock)(mutex);
	if (!native_mutex_is_mine(as_mutex(mutex)))
		TELL(rt_on_want(mutex, LOCK_WRITE, pc));
	return told(mutex, REAL(mtx_lock)(mutex), pc);
}

RT_EXPORT int mtx_trylock(mtx_t *mutex)
{
	if (!rt_wire)
		return REAL(mtx_trylock)(mutex);
	return told(mutex, REAL(mtx_trylock)(mutex), RT_CALLER);
}

RT_EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
	if (!rt_wire)
		return REAL(mtx_timedlock)(mutex, until);
	return told(mutex, REAL(mtx_timedlock)(mutex, until), RT_CALLER);
}

RT_EXPORT int mtx_unlock(mtx_t *mutex)
{
	uintptr_t pc = RT_CALLER;
	bool gives_up;
	int result;

	if (!rt_wire)
		return REAL(mtx_unlock)(mutex);
	gives_up = native_mutex_gives_up(as_mutex(mutex));
	if (gives_up)
		TELL(rt_on_release(mutex, LOCK_WRITE, pc));
	result = REAL(mtx_unlock)(mutex);
	if (gives_up && result != thrd_success)
		TELL(rt_on_acquire(mutex, LOCK_WRITE, pc));
	return result;
}

RT_EXPORT int cnd_init(cnd_t *cond)
{
	if (rt_wire)
		TELL(rt_on_destroy(cond));
	return REAL(cnd_init)(cond);
}

RT_EXPORT void cnd_destroy(cnd_t *cond)
{
	REAL(cnd_destroy)(cond);
	if (rt_wire)
		TELL(rt_on_destroy(cond));
}

RT_EXPORT int cnd_signal(cnd_t *cond)
{
	if (rt_wire)
		TELL(rt_on_send(cond));
	return REAL(cnd_signal)(cond);
}

RT_EXPORT int cnd_broadcast(cnd_t *cond)
{
	if (rt_wire)
		TELL(rt_on_send(cond));
	return REAL(cnd_broadcast)(cond);
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
	struct wait w = { cond, mutex, NULL };

	if (!rt_wire)
		return REAL(cnd_wait)(cond, mutex);
	return native_cond_wait(cond, as_mutex(mutex), wait_forever, &w, RT_CALLER);
}

RT_EXPORT int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
	struct wait w = { cond, mutex, until };

	if (!rt_wire)
		return REAL(cnd_timedwait)(cond, mutex, until);
	return native_cond_wait(cond, as_mutex(mutex), wait_until, &w, RT_CALLER);
}

RT_EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
	if (!rt_wire) {
		REAL(call_once)(flag, routine);
		return;
	}
	native_once_prepare(flag, routine);
	REAL(call_once)(flag, native_once_run);
	TELL(rt_on_receive(flag));
}

static int trampoline(void *argument)
{
	struct rt_thread *self = argument;

	native_thread_begin(self);
	return ((thrd_start_t)(uintptr_t)self->start)(self->argument);
}

RT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	struct rt_thread *child = native_thread_new((void *(*)(void *))(uintptr_t)start, argument, RT_CALLER);
	int result;

	if (!child)
		return REAL(thrd_create)(thread, start, argument);
	result = REAL(thrd_create)(thread, trampoline, child);
	native_thread_created(child, result == thrd_success ? *thread : 0, result != thrd_success);
	return result;
}

RT_EXPORT int thrd_join(thrd_t thread, int *value)
{
	struct rt_thread *joined = rt_thread_by_handle(thread);
	int result = REAL(thrd_join)(thread, value);

	if (result == thrd_success)
		native_thread_joined(joined);
	return result;
}

RT_EXPORT int thrd_detach(thrd_t thread)
{
	struct rt_thread *detached = rt_thread_by_handle(thread);
	int result = REAL(thrd_detach)(thread);

	if (detached && result == thrd_success)
		detached->detached = true;
	return result;
}

RT_EXPORT void thrd_exit(int value)
{
	native_thread_arm();
	REAL(thrd_exit)(value);
	__builtin_unreachable();
}
