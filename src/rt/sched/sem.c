/*
 * sem - the model of POSIX semaphores.
 *
 * The value is ours from the first use on (read from what sem_init wrote). A semaphore
 * other processes can post (sem_open, or pshared) stays libc's: waiting is looking at its
 * value while others run, then sem_trywait, which cannot block.
 *
 * post sends, wait receives: everything before a post happens before the wait it let go,
 * and, as in the paper, before all later waits too.
 */
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "rt/abi/tell.h"
#include "rt/sched/internal.h"

struct semaphore {
	uint32_t known;
	uint32_t shared;
	uint32_t value;
};

/* glibc's sem_t on 64-bit machines: value, waiters, then not 0 if shared between processes. */
struct glibc_sem {
	uint32_t value, waiters;
	int shared;
};

static struct semaphore *model(struct sched_object *object)
{
	return (struct semaphore *)object->state;
}

static struct sched_object *sem_object(const sem_t *sem)
{
	struct sched_object *object = sched_object(sem, OBJECT_SEM);
	const struct glibc_sem *bytes = (const void *)sem;

	if (!model(object)->known) {
		model(object)->known = 1;
		model(object)->value = bytes->value;
		model(object)->shared = bytes->shared != 0;
	}
	return object;
}

static bool may_take(struct sched_thread *thread, void *argument)
{
	const struct sched_object *object = argument;
	const struct glibc_sem *bytes = object->address;
	const struct semaphore *s = (const void *)object->state;

	(void)thread;
	return s->shared ? __atomic_load_n(&bytes->value, __ATOMIC_RELAXED) > 0 : s->value > 0;
}

static int fail(int code)
{
	errno = code;
	return -1;
}

/* Having the turn: take one. False if there is none. */
static bool take(struct sched_object *object)
{
	struct semaphore *s = model(object);

	if (s->shared ? REAL(sem_trywait)((sem_t *)object->address) != 0 : !s->value)
		return false;
	if (!s->shared)
		s->value--;
	TELL(rt_on_receive(object->address));
	return true;
}

static enum sched_wake wait_once(struct sched_object *object, uint64_t deadline_ns, uintptr_t pc)
{
	static const struct sched_world anything;
	unsigned flags = WAIT_CANCEL | WAIT_SIGNAL;

	if (model(object)->shared)
		return sched_wait_world(&anything, object, pc, may_take, object, deadline_ns, flags);
	return sched_wait(OP_SEM_WAIT, object, pc, may_take, object, deadline_ns, flags);
}

static int sem_take(sem_t *sem, uint64_t deadline_ns, uintptr_t pc)
{
	struct sched_object *object = sem_object(sem);

	for (;;) {
		switch (wait_once(object, deadline_ns, pc)) {
		case WAKE_CANCEL:
			sched_cancel_act();
		case WAKE_TIMEOUT:
			return fail(ETIMEDOUT);
		case WAKE_SIGNAL:
			if (!sched_self()->restart)
				return fail(EINTR);
			break;
		case WAKE_READY:
			if (take(object))
				return 0;
		}
	}
}

RT_EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
	if (sched_self())
		sched_object_destroy(sem);
	return REAL(sem_init)(sem, shared, value);
}

RT_EXPORT int sem_destroy(sem_t *sem)
{
	if (sched_self()) {
		sched_step(OP_DESTROY, sem_object(sem), RT_CALLER, NULL, NULL);
		TELL(rt_on_destroy(sem));
		sched_object_destroy(sem);
	}
	return REAL(sem_destroy)(sem);
}

/* The mapping goes away: whatever comes to its address is another object. */
RT_EXPORT int sem_close(sem_t *sem)
{
	if (sched_self())
		sched_object_destroy(sem);
	return REAL(sem_close)(sem);
}

RT_EXPORT int sem_wait(sem_t *sem)
{
	return sched_self() ? sem_take(sem, 0, RT_CALLER) : REAL(sem_wait)(sem);
}

RT_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	if (!sched_self())
		return REAL(sem_timedwait)(sem, until);
	if (sched_bad_time(until))
		return fail(EINVAL);
	return sem_take(sem, sched_deadline_from(until, CLOCK_REALTIME), RT_CALLER);
}

RT_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	if (!sched_self())
		return REAL(sem_clockwait)(sem, clock, until);
	if (sched_bad_clock(clock) || sched_bad_time(until))
		return fail(EINVAL);
	return sem_take(sem, sched_deadline_from(until, clock), RT_CALLER);
}

RT_EXPORT int sem_trywait(sem_t *sem)
{
	struct sched_object *object;

	if (!sched_self())
		return REAL(sem_trywait)(sem);
	object = sem_object(sem);
	sched_step(OP_TRYLOCK, object, RT_CALLER, NULL, NULL);
	if (take(object))
		return 0;
	sched_self()->quiet = true;
	return fail(EAGAIN);
}

RT_EXPORT int sem_post(sem_t *sem)
{
	struct sched_object *object;

	if (!sched_self())
		return REAL(sem_post)(sem);
	object = sem_object(sem);
	sched_step(OP_SEM_POST, object, RT_CALLER, NULL, NULL);
	if (!model(object)->shared && model(object)->value == SEM_VALUE_MAX)
		return fail(EOVERFLOW);
	TELL(rt_on_send(sem));
	if (model(object)->shared)
		return REAL(sem_post)(sem);
	model(object)->value++;
	return 0;
}

RT_EXPORT int sem_getvalue(sem_t *sem, int *value)
{
	struct sched_object *object;

	if (!sched_self())
		return REAL(sem_getvalue)(sem, value);
	object = sem_object(sem);
	sched_step(OP_TRYLOCK, object, RT_CALLER, NULL, NULL);
	sched_self()->quiet = true;
	if (model(object)->shared)
		return REAL(sem_getvalue)(sem, value);
	*value = (int)model(object)->value;
	return 0;
}
