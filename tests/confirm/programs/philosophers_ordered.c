/* philosophers_ordered [N]: each takes the lower fork first. */
#include <pthread.h>
#include <stdlib.h>

static int count = 3;
static pthread_mutex_t forks[16];

static void *philosopher(void *arg)
{
	long me = (long)arg, next = (me + 1) % count;
	long low = me < next ? me : next, high = me < next ? next : me;

	pthread_mutex_lock(&forks[low]);
	pthread_mutex_lock(&forks[high]);
	pthread_mutex_unlock(&forks[high]);
	pthread_mutex_unlock(&forks[low]);
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
