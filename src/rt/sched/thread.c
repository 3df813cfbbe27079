/*
 * thread - create, join, detach, end: real threads, parked until they are picked.
 *
 * The end of a thread. Cleanup handlers, C++ thread_local destructors and the destructors
 * of thread-specific data are the program's code and must run scheduled, but libc runs
 * them after the start routine has returned. So every thread carries a value under a key
 * of ours whose destructor puts it back until libc's last round, and only then takes the
 * thread out of the model. That holds for return, pthread_exit and cancellation alike.
 *
 * I1  A thread that waits in join waits in the model; the real join that follows finds a
 *     thread that has passed its last point and cannot block for long.
 * I2  The record of a joined or detached and ended thread is never found again by handle:
 *     libc gives the handle to a new thread.
 */
#include <errno.h>
#include <limits.h>

#include "rt/abi/tell.h"
#include "rt/sched/turn.h"

static pthread_key_t end_key;

/* ---- the new thread ---------------------------------------------------------------------- */

/* What is locked for ever, and who inherits a robust one, is the mutex model's business. */
static void thread_end(struct sched_thread *self)
{
	sched_step(OP_EXIT, NULL, self->rt->created_at, NULL, NULL);
	sched_mutex_owner_ends(self);
	TELL(rt_on_thread_end(self->rt));
	rt_thread_end(self->rt);
	turn_leave(self);
}

static void end_destructor(void *round)
{
	struct sched_thread *self = sched_self();

	if (!self)
		return;
	if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(end_key, (char *)round + 1);
	else
		thread_end(self);
}

/* The turn first: until then another thread runs, and we must not touch anything. */
static void *thread_run(void *argument)
{
	struct rt_thread *rt = argument;

	turn_wait(rt->turn);
	rt_thread_bind(rt);
	pthread_setspecific(end_key, (void *)1);
	TELL(rt_on_thread_start(rt));
	return rt->start(rt->argument);
}

void thread_start(void)
{
	if (!end_key)
		pthread_key_create(&end_key, end_destructor);
}

/* main has no trampoline: its value is set when the trial begins. */
void thread_start_main(void)
{
	pthread_setspecific(end_key, (void *)1);
}

/* ---- create --------------------------------------------------------------------------------- */

static bool is_detached(const pthread_attr_t *attributes)
{
	int state = PTHREAD_CREATE_JOINABLE;

	return attributes && pthread_attr_getdetachstate(attributes, &state) == 0 && state == PTHREAD_CREATE_DETACHED;
}

static void forget(struct sched_thread *thread)
{
	thread->alive = false;
	thread->joined = true;
	sched.alive_count--;
	rt_thread_end(thread->rt);
}

int sched_thread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument,
			uintptr_t pc)
{
	struct sched_thread *thread;
	struct rt_thread *rt;
	size_t stack_size = 0;
	int error;

	sched_step(OP_CREATE, NULL, pc, NULL, NULL);
	rt = rt_thread_new(pc);
	thread = sched_thread_add(rt);
	if (!thread)
		return EAGAIN;
	rt->start = start;
	rt->argument = argument;
	if (attributes && pthread_attr_getstacksize(attributes, &stack_size) == 0)
		rt->stack_size = stack_size;
	thread->detached = rt->detached = is_detached(attributes);
	thread->pc = (uintptr_t)start;
	TELL(rt_on_thread_create(rt));
	error = REAL(pthread_create)(handle, attributes, thread_run, rt);
	if (error)
		forget(thread);
	else
		rt->handle = (uint64_t)*handle;
	return error;
}

RT_EXPORT int pthread_create(pthread_t *restrict handle, const pthread_attr_t *restrict attributes,
			     void *(*start)(void *), void *restrict argument)
{
	if (!sched_self())
		return REAL(pthread_create)(handle, attributes, start, argument);
	return sched_thread_create(handle, attributes, start, argument, RT_CALLER);
}

/* ---- join ------------------------------------------------------------------------------------- */

struct sched_thread *sched_thread_by_handle(pthread_t handle)
{
	for (uint32_t i = sched.thread_count; i--;) {
		struct sched_thread *thread = sched.threads[i];

		if (thread->rt->handle == (uint64_t)handle)
			return thread->joined || (thread->detached && !thread->alive) ? NULL : thread;
	}
	return NULL;
}

static bool has_ended(struct sched_thread *self, void *argument)
{
	return !((struct sched_thread *)argument)->alive;
}

/* 0: may be joined by self. The same answers as glibc's. */
static int join_refusal(struct sched_thread *self, struct sched_thread *thread)
{
	if (!thread)
		return ESRCH;
	if (thread == self || thread->joining == self)
		return EDEADLK;
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (sched.threads[i]->joining == thread)
			return EINVAL;
	return thread->detached ? EINVAL : 0;
}

static int join_finish(struct sched_thread *thread, pthread_t handle, void **result)
{
	int error = REAL(pthread_join)(handle, result);

	thread->joined = true;
	if (!error)
		TELL(rt_on_thread_join(thread->rt));
	return error;
}

static int join_until(pthread_t handle, void **result, uint64_t deadline, uintptr_t pc)
{
	struct sched_thread *self = sched_self(), *thread = sched_thread_by_handle(handle);
	int error = join_refusal(self, thread);
	enum sched_wake wake;

	if (error)
		return error;
	self->joining = thread;
	wake = sched_wait(OP_JOIN, sched_object(thread, OBJECT_THREAD), pc, has_ended, thread, deadline, WAIT_CANCEL);
	self->joining = NULL;
	if (wake == WAKE_CANCEL)
		sched_cancel_act();
	if (wake == WAKE_TIMEOUT)
		return ETIMEDOUT;
	return join_finish(thread, handle, result);
}

int sched_thread_join(pthread_t handle, void **result, uintptr_t pc)
{
	return join_until(handle, result, 0, pc);
}

RT_EXPORT int pthread_join(pthread_t handle, void **result)
{
	if (!sched_self())
		return REAL(pthread_join)(handle, result);
	return join_until(handle, result, 0, RT_CALLER);
}

RT_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
	struct sched_thread *self = sched_self(), *thread;
	int error;

	if (!self)
		return REAL(pthread_tryjoin_np)(handle, result);
	sched_step(OP_JOIN, NULL, RT_CALLER, NULL, NULL);
	thread = sched_thread_by_handle(handle);
	error = join_refusal(self, thread);
	if (error)
		return error;
	if (thread->alive) {
		self->quiet = true;
		return EBUSY;
	}
	return join_finish(thread, handle, result);
}

static int join_clock(pthread_t handle, void **result, clockid_t clock, const struct timespec *until, uintptr_t pc)
{
	if (!until)
		return join_until(handle, result, 0, pc);
	if (sched_bad_time(until) || sched_bad_clock(clock))
		return EINVAL;
	return join_until(handle, result, sched_deadline_from(until, clock), pc);
}

RT_EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *until)
{
	if (!sched_self())
		return REAL(pthread_timedjoin_np)(handle, result, until);
	return join_clock(handle, result, CLOCK_REALTIME, until, RT_CALLER);
}

RT_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *until)
{
	if (!sched_self())
		return REAL(pthread_clockjoin_np)(handle, result, clock, until);
	return join_clock(handle, result, clock, until, RT_CALLER);
}

/* ---- detach ------------------------------------------------------------------------------------ */

int sched_thread_detach(pthread_t handle, uintptr_t pc)
{
	struct sched_thread *thread;
	int error;

	sched_step(OP_DETACH, NULL, pc, NULL, NULL);
	thread = sched_thread_by_handle(handle);
	if (!thread)
		return ESRCH;
	if (thread->detached)
		return EINVAL;
	error = REAL(pthread_detach)(handle);
	if (!error)
		thread->detached = thread->rt->detached = true;
	return error;
}

RT_EXPORT int pthread_detach(pthread_t handle)
{
	if (!sched_self())
		return REAL(pthread_detach)(handle);
	return sched_thread_detach(handle, RT_CALLER);
}

/* libc unwinds and runs what is to be run; end_destructor hears of it. */
RT_EXPORT void pthread_exit(void *result)
{
	REAL(pthread_exit)(result);
	__builtin_unreachable();
}
