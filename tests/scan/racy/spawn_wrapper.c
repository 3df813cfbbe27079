/* Threads started by a helper, joined by another, and main looks in between.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

static int value;

static pthread_t start(void *(*run)(void *), void *data)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, data))
		abort();
	return t;
}

static void finish(pthread_t t)
{
	pthread_join(t, NULL);
}

static void *set(void *arg)
{
	value = 4; /* @A */
	return arg;
}

int main(void)
{
	pthread_t t = start(set, NULL);
	int seen;

	seen = value; /* @B */
	finish(t);
	return seen > 4;
}
