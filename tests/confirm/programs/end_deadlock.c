/* end_deadlock: one order waits for a signal that nobody sends. */
#include <pthread.h>


static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *writer(void *arg)
{
	x = 1;
	return arg;
}

static void *reader(void *arg)
{
	pthread_mutex_lock(&lock);
	if (x)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
