/* Cancellation inside blocking calls: what was given up is taken back before cleanups run. */
#include "spy.h"

#include <semaphore.h>
#include <threads.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int cleaned, ends[2];

static void unlocks(void *nothing)
{
	cleaned++;
	CHECK(pthread_mutex_trylock(&m), EBUSY);
	CHECK(pthread_mutex_unlock(&m), 0);
}

static void *in_cond(void *nothing)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlocks, NULL);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	return nothing;
}

static void *in_timed_cond(void *nothing)
{
	struct timespec far = { 1ll << 40, 0 };

	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlocks, NULL);
	for (;;)
		pthread_cond_timedwait(&c, &m, &far);
	pthread_cleanup_pop(0);
	return nothing;
}

static void *in_sem(void *nothing)
{
	sem_wait(&s);
	return nothing;
}

static void *in_read(void *nothing)
{
	char byte;

	return read(ends[0], &byte, 1) == 1 ? nothing : NULL;
}

static void *in_join(void *other)
{
	pthread_join(*(pthread_t *)other, NULL);
	return NULL;
}

static void cancel(void *(*f)(void *), void *argument)
{
	pthread_t thread;
	void *value;

	CHECK(pthread_create(&thread, NULL, f, argument), 0);
	CHECK(pthread_cancel(thread), 0);
	CHECK(pthread_join(thread, &value), 0);
	CHECK(value, PTHREAD_CANCELED);
}

int main(void)
{
	pthread_t waiter;

	NAME(m);
	NAME(c);
	NAME(s);
	CHECK(sem_init(&s, 0, 0), 0);
	CHECK(pipe(ends), 0);
	/* > T0 destroy s
	   > T0 create T1
	   > T1 start
	   > T1 want m write
	   > T1 acquire m write
	   > T1 release m write
	   > T1 acquire m write
	   > T1 release m write
	   > T1 end
	   > T0 join T1 */
	cancel(in_cond, NULL);
	/* > T0 create T2
	   > T2 start
	   > T2 want m write
	   > T2 acquire m write
	   > T2 release m write
	   > T2 acquire m write
	   > T2 release m write
	   > T2 end
	   > T0 join T2 */
	cancel(in_timed_cond, NULL);
	CHECK(cleaned, 2);
	/* > T0 create T3
	   > T3 start
	   > T3 end
	   > T0 join T3
	   > T0 create T4
	   > T4 start
	   > T4 end
	   > T0 join T4 */
	cancel(in_sem, NULL);
	cancel(in_read, NULL);
	/* A cancelled join leaves the thread joinable:
	   > T0 create T5
	   > T5 start
	   > T5 receive s
	   > T5 end
	   > T0 create T6
	   > T6 start
	   > T6 end
	   > T0 join T6
	   > T0 send s
	   > T0 join T5
	   > end */
	CHECK(pthread_create(&waiter, NULL, in_sem, NULL), 0);
	cancel(in_join, &waiter);
	CHECK(sem_post(&s), 0);
	CHECK(pthread_join(waiter, NULL), 0);
	return 0;
}
