/* reorder_locked [SETTERS]: the silent twin of reorder: one lock round both. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int a, b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *setter(void *arg)
{
	pthread_mutex_lock(&lock);
	a = 1;
	b = -1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *checker(void *arg)
{
	int seen_a, seen_b;

	pthread_mutex_lock(&lock);
	seen_a = a;
	seen_b = b;
	pthread_mutex_unlock(&lock);
	assert(!(seen_b == -1 && seen_a == 0));
	return arg;
}

int main(int argc, char **argv)
{
	int setters = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t *threads = calloc((size_t)setters + 1, sizeof(*threads));

	for (int i = 0; i < setters; i++)
		pthread_create(&threads[i], NULL, setter, NULL);
	pthread_create(&threads[setters], NULL, checker, NULL);
	for (int i = 0; i <= setters; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
