/* philosophers [N]: each takes the fork at the left, then the one at the right. */
#include <pthread.h>
#include <stdlib.h>

static int count = 3;
static pthread_mutex_t forks[16];

static void *philosopher(void *arg)
{
	long me = (long)arg;

	pthread_mutex_lock(&forks[me]);
	pthread_mutex_lock(&forks[(me + 1) % count]);
	pthread_mutex_unlock(&forks[(me + 1) % count]);
	pthread_mutex_unlock(&forks[me]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];

	if (argc > 1)
		count = atoi(argv[1]);
	for (int i = 0; i < count; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, philosopher, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
