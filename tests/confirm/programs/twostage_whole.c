/* twostage_whole [WRITERS]: the silent twin of twostage: the second stage within the first's lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int first, second;
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	pthread_mutex_lock(&first_lock);
	first = 1;
	pthread_mutex_lock(&second_lock);
	second = first + 1;
	pthread_mutex_unlock(&second_lock);
	pthread_mutex_unlock(&first_lock);
	return arg;
}

static void *reader(void *arg)
{
	int seen_first, seen_second;

	pthread_mutex_lock(&first_lock);
	seen_first = first;
	pthread_mutex_unlock(&first_lock);
	if (seen_first == 0)
		return arg;
	pthread_mutex_lock(&second_lock);
	seen_second = second;
	pthread_mutex_unlock(&second_lock);
	assert(seen_second == seen_first + 1);
	return arg;
}

int main(int argc, char **argv)
{
	int writers = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *threads = calloc((size_t)writers + 1, sizeof(*threads));

	for (int i = 0; i < writers; i++)
		pthread_create(&threads[i], NULL, writer, NULL);
	pthread_create(&threads[writers], NULL, reader, NULL);
	for (int i = 0; i <= writers; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
