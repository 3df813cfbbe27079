/*
 * cond - condition variables: a list of waiters, a random one of which a signal wakes.
 *
 * A wait is three statements: let the mutex go and stand in the list (no switch between
 * the two: POSIX makes them atomic), go on when woken, take the mutex back. Which waiter
 * a signal wakes is a recorded choice: POSIX promises no order. With WIRE_SPURIOUS one wait
 * in SPURIOUS_ONE_IN is woken for nothing, at once, and goes on whenever it is picked.
 *
 * A process-shared one, with a process-shared mutex, is the real thing: waits go outside the
 * turns and take the mutex anew in the model afterwards, which POSIX sees as a wake-up for
 * nothing.
 *
 *     state: first -> waiter -> waiter -> NULL       (on the waiters' stacks, oldest first)
 */
#include <errno.h>

#include "rt/abi/tell.h"
#include "rt/sched/turn.h"

#define SPURIOUS_ONE_IN 8u
/* glibc 2.36: bit 1 of __wrefs is the clock the attribute chose, bit 0 process-shared. */
#define WREFS_MONOTONIC 2u
#define WREFS_SHARED 1u

struct waiter {
	struct waiter *next;
	bool woken, spurious;
};

struct cond {
	struct waiter *first;
	uint32_t count;     /* not woken yet */
	uint32_t known;
	int32_t clock;
	uint32_t shared;
};
_Static_assert(sizeof(struct cond) <= sizeof(((struct sched_object *)0)->state), "fits");

static struct cond *cond_of(struct sched_object *object)
{
	return (struct cond *)object->state;
}

static struct sched_object *cond_object(pthread_cond_t *cond)
{
	struct sched_object *object = sched_object(cond, OBJECT_COND);
	struct cond *c = cond_of(object);

	if (!c->known) {
		c->known = 1;
		c->shared = cond->__data.__wrefs & WREFS_SHARED;
		c->clock = cond->__data.__wrefs & WREFS_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	}
	return object;
}

static void enlist(struct cond *c, struct waiter *waiter)
{
	struct waiter **link = &c->first;

	while (*link)
		link = &(*link)->next;
	*link = waiter;
	c->count++;
}

static void delist(struct cond *c, struct waiter *waiter)
{
	for (struct waiter **link = &c->first; *link; link = &(*link)->next)
		if (*link == waiter) {
			*link = waiter->next;
			c->count--;
			return;
		}
}

static void wake(struct cond *c, struct waiter *waiter)
{
	delist(c, waiter);
	waiter->woken = true;
}

static bool is_woken(struct sched_thread *thread, void *argument)
{
	return ((struct waiter *)argument)->woken;
}

static void maybe_spurious(struct cond *c, struct waiter *waiter)
{
	if (!rt_plan_flag(WIRE_SPURIOUS) || sched_choose(OP_SPURIOUS, SPURIOUS_ONE_IN))
		return;
	waiter->spurious = true;
	wake(c, waiter);
}

/* The model lets go of the mutex, the real one is still locked: just what the real wait wants. */
static int wait_shared(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
		       uintptr_t pc)
{
	struct timespec real = { 0, 0 };
	uint32_t count = 0;
	int result, error = sched_mutex_release_model(mutex, &count, pc);

	if (error)
		return error;
	if (until)
		real = sched_real_deadline(until, clock, CLOCK_MONOTONIC);
	sched_outside_begin(OP_COND_WAIT, pc);
	result = until ? REAL(pthread_cond_clockwait)(cond, mutex, CLOCK_MONOTONIC, &real)
		       : REAL(pthread_cond_wait)(cond, mutex);
	REAL(pthread_mutex_unlock)(mutex);
	sched_outside_end();
	error = sched_mutex_retake(mutex, count, pc);
	return error ? error : result;
}

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline, uintptr_t pc)
{
	enum wire_op op = deadline ? OP_COND_TIMEDWAIT : OP_COND_WAIT;
	struct sched_object *object = cond_object(cond);
	struct waiter waiter = { NULL, false, false };
	enum sched_wake woken;
	uint32_t count = 0;
	int error;

	sched_step(OP_UNLOCK, sched_object(mutex, OBJECT_MUTEX), pc, NULL, NULL);
	error = sched_mutex_release(mutex, &count, pc);
	if (error)
		return error;
	enlist(cond_of(object), &waiter);
	maybe_spurious(cond_of(object), &waiter);
	woken = sched_wait(op, object, pc, is_woken, &waiter, deadline, WAIT_CANCEL);
	if (waiter.woken && !waiter.spurious)
		TELL(rt_on_receive(cond));
	delist(cond_of(object), &waiter);
	error = sched_mutex_retake(mutex, count ? count : 1, pc);
	if (woken == WAKE_CANCEL)
		sched_cancel_act();
	return error ? error : woken == WAKE_TIMEOUT ? ETIMEDOUT : 0;
}

static bool is_shared(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return cond_of(cond_object(cond))->shared && sched_mutex_is_shared(mutex);
}

int sched_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uintptr_t pc)
{
	if (is_shared(cond, mutex))
		return wait_shared(cond, mutex, CLOCK_REALTIME, NULL, pc);
	return wait_until(cond, mutex, 0, pc);
}

int sched_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
			 uintptr_t pc)
{
	if (sched_bad_time(until) || sched_bad_clock(clock))
		return EINVAL;
	if (is_shared(cond, mutex))
		return wait_shared(cond, mutex, clock, until, pc);
	return wait_until(cond, mutex, sched_deadline_from(until, clock), pc);
}

int sched_cond_signal(pthread_cond_t *cond, uintptr_t pc)
{
	struct sched_object *object = cond_object(cond);
	struct cond *c = cond_of(object);
	struct waiter *waiter;

	sched_step(OP_COND_SIGNAL, object, pc, NULL, NULL);
	TELL(rt_on_send(cond));
	if (c->shared)
		REAL(pthread_cond_signal)(cond);
	if (!c->count)
		return 0;
	waiter = c->first;
	for (uint32_t skip = sched_choose(OP_WAKE, c->count); skip; skip--)
		waiter = waiter->next;
	wake(c, waiter);
	return 0;
}

int sched_cond_broadcast(pthread_cond_t *cond, uintptr_t pc)
{
	struct sched_object *object = cond_object(cond);
	struct cond *c = cond_of(object);

	sched_step(OP_COND_BROADCAST, object, pc, NULL, NULL);
	TELL(rt_on_send(cond));
	if (c->shared)
		REAL(pthread_cond_broadcast)(cond);
	while (c->first)
		wake(c, c->first);
	return 0;
}

static bool has_no_waiters(struct sched_thread *thread, void *argument)
{
	return !cond_of(argument)->count;
}

/* glibc's destroy waits for those who still wait. */
int sched_cond_destroy(pthread_cond_t *cond, uintptr_t pc)
{
	struct sched_object *object = cond_object(cond);

	sched_wait(OP_DESTROY, object, pc, has_no_waiters, object, 0, 0);
	TELL(rt_on_destroy(cond));
	sched_object_destroy(cond);
	return REAL(pthread_cond_destroy)(cond);
}

/* ---- the names ------------------------------------------------------------------------------------ */

RT_EXPORT int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attributes)
{
	int error = REAL(pthread_cond_init)(cond, attributes);

	if (sched_self() && !error) {
		sched_object_destroy(cond);
		cond_object(cond);
	}
	return error;
}

RT_EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
	return sched_self() ? sched_cond_destroy(cond, RT_CALLER) : REAL(pthread_cond_destroy)(cond);
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
	return sched_self() ? sched_cond_wait(cond, mutex, RT_CALLER) : REAL(pthread_cond_wait)(cond, mutex);
}

RT_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
				     const struct timespec *restrict until)
{
	if (!sched_self())
		return REAL(pthread_cond_timedwait)(cond, mutex, until);
	return sched_cond_clockwait(cond, mutex, cond_of(cond_object(cond))->clock, until, RT_CALLER);
}

RT_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock,
				     const struct timespec *restrict until)
{
	if (!sched_self())
		return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
	return sched_cond_clockwait(cond, mutex, clock, until, RT_CALLER);
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	return sched_self() ? sched_cond_signal(cond, RT_CALLER) : REAL(pthread_cond_signal)(cond);
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return sched_self() ? sched_cond_broadcast(cond, RT_CALLER) : REAL(pthread_cond_broadcast)(cond);
}
