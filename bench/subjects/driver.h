/*
 * driver - two synchronised collections of one kind and two threads, as the RaceFuzzer paper
 * closes the collections of the JDK: one thread asks whether the first holds all of the second
 * while the other adds to the second and empties it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct collection;
static struct collection *collection_new(void);
static void collection_add(struct collection *c, int value);
static int collection_contains_all(struct collection *c, struct collection *other);
static void collection_remove_all(struct collection *c);

static struct collection *first, *second;
static int rounds = 2;

static void *asker(void *arg)
{
	for (int i = 0; i < rounds; i++)
		collection_contains_all(first, second);
	return arg;
}

static void *remover(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		collection_add(second, 3 + i);
		collection_remove_all(second);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	rounds = argc > 1 ? atoi(argv[1]) : rounds;
	first = collection_new();
	second = collection_new();
	for (int i = 0; i < 3; i++) {
		collection_add(first, i);
		collection_add(second, i);
	}
	pthread_create(&a, NULL, asker, NULL);
	pthread_create(&b, NULL, remover, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts("done");
	return 0;
}

/* What an uncaught exception is in Java. */
static inline void concurrent_modification(void)
{
	fputs("concurrent modification\n", stderr);
	abort();
}
