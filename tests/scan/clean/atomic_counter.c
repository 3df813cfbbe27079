/* Counted and reset with atomics, relaxed ones at that.
 * never: A B */
#include <pthread.h>

static unsigned long requests;

static void *serve(void *arg)
{
	__atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED); /* @A */
	return arg;
}

static void *monitor(void *arg)
{
	__atomic_store_n(&requests, 0, __ATOMIC_RELAXED); /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, serve, NULL);
	pthread_create(&b, NULL, monitor, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return requests > 1;
}
