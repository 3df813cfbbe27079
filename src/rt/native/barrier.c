/*
 * barrier - pthread_barrier_*: everyone sends before, everyone receives after.
 *
 * A barrier is used again and again, and a fast thread may arrive for round n+1 (and send)
 * before a slow one has left round n (and received): on one object the slow one would be
 * ordered after what the fast one did between the rounds, and a race there be missed. So
 * rounds alternate between two objects, address and address + 1. Two are enough: nobody
 * arrives for round n+2 before everybody has arrived for n+1, thus left n.
 *
 * The round is arrivals / count, counted here, since glibc keeps its own to itself. With more
 * users than count, two who arrive in the same instant may be counted in another order than
 * libc's; the worst of it is an edge too many or too few at that instant.
 */
#include "rt/native/internal.h"

struct barrier {
	struct barrier *next;
	const void *address;
	uint64_t arrived;
	uint32_t count;
};

#define BUCKETS 256
static struct rt_lock barrier_lock;
static struct barrier *buckets[BUCKETS], *unused;

static struct barrier **find(const void *address)
{
	struct barrier **at = &buckets[((uintptr_t)address >> 4) % BUCKETS];

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	return at;
}

static struct barrier *take_unused(void)
{
	struct barrier *barrier = unused;

	if (!barrier)
		return rt_arena(sizeof(*barrier));
	unused = barrier->next;
	return barrier;
}

static void forget(const void *address)
{
	struct barrier **at, *barrier;

	rt_lock(&barrier_lock);
	at = find(address);
	barrier = *at;
	if (barrier) {
		*at = barrier->next;
		barrier->next = unused;
		unused = barrier;
	}
	rt_unlock(&barrier_lock);
	TELL(rt_on_destroy(address));
	TELL(rt_on_destroy((const char *)address + 1));
}

static void remember(const void *address, uint32_t count)
{
	struct barrier **at, *barrier;

	forget(address);
	rt_lock(&barrier_lock);
	at = find(address);
	barrier = take_unused();
	if (barrier) {
		*barrier = (struct barrier){ NULL, address, 0, count };
		*at = barrier;
	} else {
		rt_count(WIRE_LOST_LOCKS);
	}
	rt_unlock(&barrier_lock);
}

/* The object of the round we now arrive for. A barrier made where we did not see it has one. */
static const void *arrive(const void *address)
{
	struct barrier *barrier;
	unsigned odd = 0;

	rt_lock(&barrier_lock);
	barrier = *find(address);
	if (barrier)
		odd = barrier->arrived++ / barrier->count & 1;
	rt_unlock(&barrier_lock);
	return (const char *)address + odd;
}

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
				   unsigned count)
{
	int result = REAL(pthread_barrier_init)(barrier, attributes, count);

	if (rt_wire && result == 0)
		remember(barrier, count);
	return result;
}

RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	int result = REAL(pthread_barrier_destroy)(barrier);

	if (rt_wire && result == 0)
		forget(barrier);
	return result;
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	const void *round;
	int result;

	if (!rt_wire)
		return REAL(pthread_barrier_wait)(barrier);
	round = arrive(barrier);
	TELL(rt_on_send(round));
	result = REAL(pthread_barrier_wait)(barrier);
	if (result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD)
		TELL(rt_on_receive(round));
	return result;
}
