/*
 * twostage [WRITERS [READERS]]: a value is put in place in two stages, each under a lock of
 * its own; a reader that comes between the stages sees the first without the second. Every
 * access is under a lock: there is no data race at all.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int first, second;
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	pthread_mutex_lock(&first_lock);
	first = 1;
	pthread_mutex_unlock(&first_lock);

	pthread_mutex_lock(&second_lock);
	second = first + 1;
	pthread_mutex_unlock(&second_lock);
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
	int writers = argc > 1 ? atoi(argv[1]) : 1, readers = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t *threads = calloc((size_t)(writers + readers), sizeof(*threads));

	for (int i = 0; i < writers; i++)
		pthread_create(&threads[i], NULL, writer, NULL);
	for (int i = 0; i < readers; i++)
		pthread_create(&threads[writers + i], NULL, reader, NULL);
	for (int i = 0; i < writers + readers; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
