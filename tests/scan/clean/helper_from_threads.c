/* A helper that starts and joins a worker, called by one thread twice.
 * never: A A */
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
	delegate(NULL);
	delegate(NULL);
	return scratch > 2;
}
