/*
 * reorder [SETTERS]: each setter writes a, then b; the checker must never see b without a.
 * It reads a before it looks at b, so between the two a setter can do both.
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
	int seen_a = a;
	int seen_b = b;

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
