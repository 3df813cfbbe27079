/* A worker started in a loop writes a static.
 * expect: A A */
#include <pthread.h>

#define WORKERS 4
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last_id;

static void *worker(void *arg)
{
	last_id = (int)(long)arg; /* @A */
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[WORKERS];

	for (long i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return last_id < 0;
}
