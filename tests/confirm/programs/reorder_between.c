/*
 * reorder_between [SETTERS]: the other reorder bug: the checker sees a setter half way.
 * Several checkers, all created after the setters.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int a, b;

static void *setter(void *arg)
{
	a = 1;
	b = -1;
	return arg;
}

static void *checker(void *arg)
{
	assert((a == 0 && b == 0) || (a == 1 && b == -1));
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
