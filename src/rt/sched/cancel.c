/*
 * cancel - pthread_cancel and its points, in the model.
 *
 * No real cancellation is ever sent: libc would act on it wherever the thread happens to
 * park. A cancellation is a flag of the target; it acts when the target, holding the turn,
 * is at a cancellation point of the model (deferred) or at any scheduling point
 * (asynchronous), by leaving the thread as pthread_exit(PTHREAD_CANCELED) does: cleanup
 * handlers, destructors and key destructors are libc's own and run in its order.
 */
#include <errno.h>

#include "rt/sched/internal.h"

bool sched_cancel_due(const struct sched_thread *thread)
{
	return thread->cancel_pending && thread->cancel_state == PTHREAD_CANCEL_ENABLE;
}

void sched_cancel_act(void)
{
	struct sched_thread *self = sched_self();

	self->cancel_pending = 0;
	self->cancel_state = PTHREAD_CANCEL_DISABLE;
	self->cancel_type = PTHREAD_CANCEL_DEFERRED;
	pthread_exit(PTHREAD_CANCELED);
}

void sched_cancel_point(uintptr_t pc)
{
	struct sched_thread *self = sched_self();

	sched_step(OP_CANCEL, NULL, pc, NULL, NULL);
	if (sched_cancel_due(self))
		sched_cancel_act();
}

static void act_if_asynchronous(const struct sched_thread *self)
{
	if (self->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS && sched_cancel_due(self))
		sched_cancel_act();
}

RT_EXPORT int pthread_cancel(pthread_t handle)
{
	struct sched_thread *self = sched_self(), *target;

	if (!self)
		return REAL(pthread_cancel)(handle);
	sched_step(OP_CANCEL, NULL, RT_CALLER, NULL, NULL);
	target = sched_thread_by_handle(handle);
	if (!target)
		return ESRCH;
	if (target->alive)
		target->cancel_pending = 1;
	if (target == self)
		act_if_asynchronous(self);
	return 0;
}

RT_EXPORT void pthread_testcancel(void)
{
	if (!sched_self()) {
		REAL(pthread_testcancel)();
		return;
	}
	sched_cancel_point(RT_CALLER);
}

RT_EXPORT int pthread_setcancelstate(int state, int *old)
{
	struct sched_thread *self = sched_self();

	if (!self)
		return REAL(pthread_setcancelstate)(state, old);
	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	if (old)
		*old = (int)self->cancel_state;
	self->cancel_state = (uint32_t)state;
	act_if_asynchronous(self);
	return 0;
}

RT_EXPORT int pthread_setcanceltype(int type, int *old)
{
	struct sched_thread *self = sched_self();

	if (!self)
		return REAL(pthread_setcanceltype)(type, old);
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (old)
		*old = (int)self->cancel_type;
	self->cancel_type = (uint32_t)type;
	act_if_asynchronous(self);
	return 0;
}
