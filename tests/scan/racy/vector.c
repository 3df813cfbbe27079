/* A vector grown under its lock, and read through a pointer kept without it.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

static struct {
	pthread_mutex_t lock;
	int *items;
	size_t count;
} vector = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void append(int item)
{
	int *grown;

	pthread_mutex_lock(&vector.lock);
	grown = realloc(vector.items, (vector.count + 1) * sizeof(int));
	if (grown) {
		grown[vector.count++] = item;
		vector.items = grown; /* @A */
	}
	pthread_mutex_unlock(&vector.lock);
}

static int first(void)
{
	int item = 0;

	if (vector.items) /* @B */
		item = 1;
	return item;
}

static void *writer(void *arg)
{
	append(1);
	append(2);
	return arg;
}

static void *reader(void *arg)
{
	return first() ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(vector.items);
	return 0;
}
