/*
 * barrier - the model of pthread_barrier_t.
 *
 * The last to arrive opens the round and is told PTHREAD_BARRIER_SERIAL_THREAD. Everyone
 * who arrives sends, everyone who leaves receives; two rounds in flight use two names for
 * the engine (address + parity), so that who is late in one round is not ordered before
 * who is early in the next.
 */
#include <errno.h>

#include "rt/abi/tell.h"
#include "rt/sched/internal.h"

struct barrier {
	uint32_t known;
	uint32_t count;      /* who must come */
	uint32_t shared;     /* between processes: not modelled */
	uint32_t arrived;    /* in this round */
	uint32_t leaving;    /* released, not yet gone on */
	uint32_t round;
};
_Static_assert(sizeof(struct barrier) <= sizeof(((struct sched_object *)0)->state), "fits");

/* What glibc's pthread_barrier_init writes; there is no static initialiser. */
struct glibc_barrier {
	uint32_t in, round, count;
	int shared;
	uint32_t out;
};

struct arrival {
	const struct barrier *barrier;
	uint32_t round;
};

static struct barrier *model(struct sched_object *object)
{
	return (struct barrier *)object->state;
}

static struct sched_object *barrier_object(const pthread_barrier_t *address)
{
	struct sched_object *object = sched_object(address, OBJECT_BARRIER);
	struct barrier *b = model(object);
	const struct glibc_barrier *bytes = (const void *)address;

	if (!b->known) {
		b->known = 1;
		b->count = bytes->count;
		b->shared = bytes->shared != 0;
	}
	return object;
}

static bool round_is_over(struct sched_thread *thread, void *argument)
{
	const struct arrival *arrival = argument;

	(void)thread;
	return arrival->barrier->round != arrival->round;
}

static bool all_have_left(struct sched_thread *thread, void *argument)
{
	const struct barrier *b = argument;

	(void)thread;
	return !b->leaving;
}

static const void *round_name(const pthread_barrier_t *address, uint32_t round)
{
	return (const char *)address + (round & 1);
}

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *address, const pthread_barrierattr_t *attributes, unsigned count)
{
	if (sched_self())
		sched_object_destroy(address);
	return REAL(pthread_barrier_init)(address, attributes, count);
}

RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *address)
{
	struct sched_object *object;
	struct barrier *b;

	if (!sched_self())
		return REAL(pthread_barrier_destroy)(address);
	object = barrier_object(address);
	b = model(object);
	if (b->shared)
		return REAL(pthread_barrier_destroy)(address);
	sched_wait(OP_DESTROY, object, RT_CALLER, all_have_left, b, 0, 0);
	if (b->arrived)
		return EBUSY;
	TELL(rt_on_destroy(round_name(address, 0)));
	TELL(rt_on_destroy(round_name(address, 1)));
	sched_object_destroy(address);
	return REAL(pthread_barrier_destroy)(address);
}

static int barrier_wait(const pthread_barrier_t *address, struct sched_object *object, uintptr_t pc)
{
	struct barrier *b = model(object);
	struct arrival arrival;
	bool last;

	sched_step(OP_BARRIER, object, pc, NULL, NULL);
	arrival = (struct arrival){ b, b->round };
	TELL(rt_on_send(round_name(address, arrival.round)));
	last = ++b->arrived == b->count;
	if (last) {
		b->leaving += b->count - 1;
		b->arrived = 0;
		b->round++;
	} else {
		sched_wait(OP_BARRIER, object, pc, round_is_over, &arrival, 0, 0);
		b->leaving--;
	}
	TELL(rt_on_receive(round_name(address, arrival.round)));
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *address)
{
	struct sched_object *object;
	int result;

	if (!sched_self())
		return REAL(pthread_barrier_wait)(address);
	object = barrier_object(address);
	if (!model(object)->shared)
		return barrier_wait(address, object, RT_CALLER);
	sched_outside_begin(OP_BARRIER, RT_CALLER);
	result = REAL(pthread_barrier_wait)(address);
	sched_outside_end();
	return result;
}
