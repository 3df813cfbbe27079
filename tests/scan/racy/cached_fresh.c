/* A scratch buffer made at first use and kept in a static: not fresh the second time.
 * expect: A A */
#include <pthread.h>
#include <stdlib.h>

static int *scratch(void)
{
	static int *cached;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (!cached)
		cached = calloc(4, sizeof(int));
	pthread_mutex_unlock(&lock);
	return cached;
}

static void *work(void *arg)
{
	int *buffer = scratch();

	if (buffer)
		buffer[0]++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
