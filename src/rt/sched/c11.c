/*
 * c11 - <threads.h> on the same models as pthreads.
 *
 * glibc's thrd_, mtx_, cnd_ and call_once do not pass through the pthread symbols, but the
 * objects are the same bytes: mtx_init writes what pthread_mutex_init would, so the mutex
 * model reads its kind there. Only the words for the results differ.
 */
#include <errno.h>
#include <threads.h>

#include "rt/sched/internal.h"

static int thrd_code(int code)
{
	switch (code) {
	case 0: return thrd_success;
	case ENOMEM: return thrd_nomem;
	case EBUSY: return thrd_busy;
	case ETIMEDOUT: return thrd_timedout;
	default: return thrd_error;
	}
}

/* ---- threads ----------------------------------------------------------------------- */

struct start {
	thrd_start_t function;
	void *argument;
};

static void *run(void *argument)
{
	struct start start = *(struct start *)argument;

	return (void *)(intptr_t)start.function(start.argument);
}

RT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct start *start;

	if (!sched_self())
		return REAL(thrd_create)(thread, function, argument);
	start = rt_arena(sizeof(*start));
	if (!start)
		return thrd_nomem;
	*start = (struct start){ function, argument };
	return thrd_code(sched_thread_create(thread, NULL, run, start, RT_CALLER));
}

RT_EXPORT int thrd_join(thrd_t thread, int *result)
{
	void *value = NULL;
	int code;

	if (!sched_self())
		return REAL(thrd_join)(thread, result);
	code = sched_thread_join(thread, &value, RT_CALLER);
	if (!code && result)
		*result = (int)(intptr_t)value;
	return thrd_code(code);
}

RT_EXPORT int thrd_detach(thrd_t thread)
{
	if (!sched_self())
		return REAL(thrd_detach)(thread);
	return thrd_code(sched_thread_detach(thread, RT_CALLER));
}

RT_EXPORT void thrd_exit(int result)
{
	if (!sched_self())
		REAL(thrd_exit)(result);
	pthread_exit((void *)(intptr_t)result);
}

RT_EXPORT void thrd_yield(void)
{
	if (sched_self())
		sched_step(OP_YIELD, NULL, RT_CALLER, NULL, NULL);
	else
		REAL(thrd_yield)();
}

RT_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	int code;

	if (!sched_self())
		return REAL(thrd_sleep)(time, left);
	code = sched_sleep(CLOCK_REALTIME, 0, time, left, RT_CALLER);
	return code == 0 ? 0 : code == EINTR ? -1 : -2;
}

/* ---- mutexes and conditions ------------------------------------------------------------ */

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
	return (pthread_mutex_t *)mutex;
}

static pthread_cond_t *cond_of(cnd_t *cond)
{
	return (pthread_cond_t *)cond;
}

RT_EXPORT int mtx_init(mtx_t *mutex, int type)
{
	if (sched_self())
		sched_object_destroy(mutex);
	return REAL(mtx_init)(mutex, type);
}

RT_EXPORT int mtx_lock(mtx_t *mutex)
{
	if (!sched_self())
		return REAL(mtx_lock)(mutex);
	return thrd_code(sched_mutex_lock(mutex_of(mutex), RT_CALLER));
}

RT_EXPORT int mtx_trylock(mtx_t *mutex)
{
	if (!sched_self())
		return REAL(mtx_trylock)(mutex);
	return thrd_code(sched_mutex_trylock(mutex_of(mutex), RT_CALLER));
}

RT_EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
	if (!sched_self())
		return REAL(mtx_timedlock)(mutex, until);
	return thrd_code(sched_mutex_clocklock(mutex_of(mutex), CLOCK_REALTIME, until, RT_CALLER));
}

RT_EXPORT int mtx_unlock(mtx_t *mutex)
{
	if (!sched_self())
		return REAL(mtx_unlock)(mutex);
	return thrd_code(sched_mutex_unlock(mutex_of(mutex), RT_CALLER));
}

RT_EXPORT void mtx_destroy(mtx_t *mutex)
{
	if (sched_self())
		sched_mutex_destroy(mutex_of(mutex), RT_CALLER);
	else
		REAL(mtx_destroy)(mutex);
}

RT_EXPORT int cnd_init(cnd_t *cond)
{
	if (sched_self())
		sched_object_destroy(cond);
	return REAL(cnd_init)(cond);
}

RT_EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	if (!sched_self())
		return REAL(cnd_wait)(cond, mutex);
	return thrd_code(sched_cond_wait(cond_of(cond), mutex_of(mutex), RT_CALLER));
}

RT_EXPORT int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until)
{
	if (!sched_self())
		return REAL(cnd_timedwait)(cond, mutex, until);
	return thrd_code(sched_cond_clockwait(cond_of(cond), mutex_of(mutex), CLOCK_REALTIME, until, RT_CALLER));
}

RT_EXPORT int cnd_signal(cnd_t *cond)
{
	if (!sched_self())
		return REAL(cnd_signal)(cond);
	return thrd_code(sched_cond_signal(cond_of(cond), RT_CALLER));
}

RT_EXPORT int cnd_broadcast(cnd_t *cond)
{
	if (!sched_self())
		return REAL(cnd_broadcast)(cond);
	return thrd_code(sched_cond_broadcast(cond_of(cond), RT_CALLER));
}

RT_EXPORT void cnd_destroy(cnd_t *cond)
{
	if (sched_self())
		sched_cond_destroy(cond_of(cond), RT_CALLER);
	else
		REAL(cnd_destroy)(cond);
}

/* ---- once ------------------------------------------------------------------------------ */

RT_EXPORT void call_once(once_flag *flag, void (*function)(void))
{
	if (sched_self())
		sched_once((pthread_once_t *)flag, function, RT_CALLER);
	else
		REAL(call_once)(flag, function);
}
