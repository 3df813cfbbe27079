/* A helper that starts and joins a worker, called by two threads at once.
 * expect: A A */
#include <pthread.h>

static int scratch;

static void *worker(void *arg)
{
	scratch++; /* @A */
	return arg;
}

static void *delegate(void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, delegate, NULL);
	pthread_create(&b, NULL, delegate, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return scratch > 2;
}
