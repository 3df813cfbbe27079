/*
 * An object created when it is first needed, by "double-checked locking" without atomics.
 *
 * What is wrong: the pointer is published before the object is filled in, and the first
 * check reads it without the lock.
 * deadheat shows: the unlocked read in get() against the write in get(), and, because
 * the object is then used half made, also table->size; harmful: the size is seen as 0.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct table {
	int size;
};

static struct table *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct table *get(void)
{
	if (!table) { /* wrong: not under the lock, not atomic */
		pthread_mutex_lock(&lock);
		if (!table) {
			table = calloc(1, sizeof(*table));
			table->size = 64; /* too late: others may have seen the pointer */
		}
		pthread_mutex_unlock(&lock);
	}
	return table;
}

static void *user(void *arg)
{
	if (get()->size != 64) {
		fputs("used a table that was not ready\n", stderr);
		abort();
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, user, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(table);
	return 0;
}
