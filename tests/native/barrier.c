/* Barriers, used again: rounds alternate between two objects. */
#include "spy.h"

static pthread_barrier_t b, alone;

static void *waits(void *nothing)
{
	int serial = 0;

	for (int i = 0; i < 100; i++) {
		int result = pthread_barrier_wait(&b);

		if (result == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add((int *)nothing, 1, __ATOMIC_RELAXED);
		else
			CHECK(result, 0);
		serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int serial = 0;

	NAME(alone);
	/* > T0 destroy alone
	   > T0 destroy alone+1
	   > T0 send alone
	   > T0 receive alone
	   > T0 send alone+1
	   > T0 receive alone+1
	   > T0 send alone
	   > T0 receive alone
	   > T0 destroy alone
	   > T0 destroy alone+1 */
	CHECK(pthread_barrier_init(&b, NULL, 0), EINVAL);
	CHECK(pthread_barrier_init(&alone, NULL, 1), 0);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_barrier_wait(&alone), PTHREAD_BARRIER_SERIAL_THREAD);
	CHECK(pthread_barrier_destroy(&alone), 0);
	/* > end */
	if (!spy_name) {
		CHECK(pthread_barrier_init(&b, NULL, 3), 0);
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, waits, &serial);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		CHECK(serial, 100);
	}
	return 0;
}
