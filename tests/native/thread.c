/* Threads: all ways to end and to be joined; the end comes after the program's destructors. */
#include "spy.h"

#include <limits.h>

static pthread_key_t key;
static int rounds;

static void destructor(void *value)
{
	if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(key, value);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void unlocks(void *nothing)
{
	pthread_mutex_unlock(&m);
}

static void *returns(void *value)
{
	pthread_setspecific(key, value);
	return value;
}

static void *exits(void *value)
{
	pthread_exit(value);
}

static void *is_cancelled(void *value)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlocks, NULL);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return value;
}

static void *waits(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

int main(void)
{
	struct timespec t = past();
	pthread_barrier_t barrier;
	pthread_attr_t attributes;
	pthread_t thread;
	void *value;

	NAME(m);
	CHECK(pthread_key_create(&key, destructor), 0);
	/* > T0 create T1
	   > T1 start
	   > T1 end
	   > T0 join T1 */
	CHECK(pthread_create(&thread, NULL, returns, &key), 0);
	CHECK(pthread_join(thread, &value), 0);
	CHECK(value, &key);
	CHECK(rounds, PTHREAD_DESTRUCTOR_ITERATIONS);
	/* > T0 create T2
	   > T2 start
	   > T2 end
	   > T0 join T2 */
	CHECK(pthread_create(&thread, NULL, exits, &thread), 0);
	CHECK(pthread_join(thread, &value), 0);
	CHECK(value, &thread);
	/* > T0 create T3
	   > T3 start
	   > T3 want m write
	   > T3 acquire m write
	   > T3 release m write
	   > T3 end
	   > T0 join T3 */
	CHECK(pthread_create(&thread, NULL, is_cancelled, NULL), 0);
	CHECK(pthread_cancel(thread), 0);
	CHECK(pthread_join(thread, &value), 0);
	CHECK(value, PTHREAD_CANCELED);
	CHECK(pthread_join(pthread_self(), NULL), EDEADLK);
	/* > T0 create T4
	   > T4 start
	   > T4 end
	   > T0 join T4 */
	pthread_barrier_init(&barrier, NULL, 2);
	CHECK(pthread_create(&thread, NULL, waits, &barrier), 0);
	CHECK(pthread_tryjoin_np(thread, NULL), EBUSY);
	CHECK(pthread_timedjoin_np(thread, NULL, &t), ETIMEDOUT);
	CHECK(pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	pthread_barrier_wait(&barrier);
	t.tv_sec = 1ll << 40;
	CHECK(pthread_timedjoin_np(thread, NULL, &t), 0);
	/* Refused: an id is spent, nothing else.
	   > T0 create T5 */
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, 1ul << 46), 0);
	CHECK(pthread_create(&thread, &attributes, returns, NULL), EAGAIN);
	/* > T0 create T6
	   > T6 start
	   > T0 end
	   > T6 end
	   > end */
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	CHECK(pthread_create(&thread, &attributes, waits, &barrier), 0);
	pthread_barrier_wait(&barrier);
	pthread_exit(NULL);
}
