/* A gate of flag and condition for all workers, and the setup finished too late.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open, setup;

static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!is_open)
		pthread_cond_wait(&opened, &lock);
	pthread_mutex_unlock(&lock);
	return setup ? arg : NULL; /* @A */
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	is_open = 1;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&lock);
	setup = 1; /* @B */
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
