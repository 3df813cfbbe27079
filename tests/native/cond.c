/* Conditions: the mutex goes and comes back on every way out; only a wake-up receives. */
#include "spy.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, checked;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int woken;

static void *signals(void *nothing)
{
	pthread_mutex_lock(&m);
	woken = 1;
	CHECK(pthread_cond_signal(&c), 0);
	pthread_mutex_unlock(&m);
	return nothing;
}

int main(void)
{
	struct timespec t = past(), bad = { 0, -1 };
	pthread_mutexattr_t attributes;
	pthread_t thread;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attributes);
	NAME(m);
	NAME(c);
	NAME(checked);
	/* > T0 destroy c
	   > T0 want m write
	   > T0 acquire m write */
	CHECK(pthread_cond_init(&c, NULL), 0);
	CHECK(pthread_mutex_lock(&m), 0);
	/* Three ways to time out or fail:
	   > T0 release m write
	   > T0 acquire m write
	   > T0 release m write
	   > T0 acquire m write
	   > T0 release m write
	   > T0 acquire m write */
	CHECK(pthread_cond_timedwait(&c, &m, &t), ETIMEDOUT);
	CHECK(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	CHECK(pthread_cond_timedwait(&c, &m, &bad), EINVAL);
	/* Not held: nothing happens. */
	CHECK(pthread_cond_wait(&c, &checked), EPERM);
	/* > T0 create T1
	   > T0 release m write
	   > T1 start
	   > T1 want m write
	   > T1 acquire m write
	   > T1 send c
	   > T1 release m write
	   > T1 end
	   > T0 acquire m write
	   > T0 receive c
	   > T0 join T1 */
	pthread_create(&thread, NULL, signals, NULL);
	while (!woken)
		CHECK(pthread_cond_wait(&c, &m), 0);
	pthread_join(thread, NULL);
	/* > T0 send c
	   > T0 release m write
	   > T0 destroy c
	   > end */
	CHECK(pthread_cond_broadcast(&c), 0);
	CHECK(pthread_mutex_unlock(&m), 0);
	CHECK(pthread_cond_destroy(&c), 0);
	return 0;
}
