/* A hit counter that one of two paths forgets to lock.
 * expect: A B */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *serve(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		hits++; /* @A */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *reset(void *arg)
{
	hits = 0; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, serve, NULL);
	pthread_create(&b, NULL, reset, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", hits);
	return 0;
}
