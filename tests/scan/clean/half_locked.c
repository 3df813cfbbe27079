/* Written and read under the lock.
 * never: A B */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool stopping;

static bool should_stop(void)
{
	bool stop;

	pthread_mutex_lock(&lock);
	stop = stopping; /* @A */
	pthread_mutex_unlock(&lock);
	return stop;
}

static void *loop(void *arg)
{
	for (int i = 0; i < 100 && !should_stop(); i++)
		;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, loop, NULL);
	pthread_mutex_lock(&lock);
	stopping = true; /* @B */
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
