/*
 * A cache under a reader/writer lock.
 *
 * What is wrong: lookup() counts hits while it holds the lock for reading only, and two
 * readers may hold it at once. The value itself is well protected.
 * deadheat shows: cache.hits in lookup() against itself, confirmed although both threads
 * hold the same lock (both for reading); nothing about cache.value. Harm: a lost hit.
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_rwlock_t lock;
	int value;
	int hits;
} cache = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static int lookup(void)
{
	int value;

	pthread_rwlock_rdlock(&cache.lock);
	value = cache.value;
	cache.hits++; /* wrong: a write under a read lock */
	pthread_rwlock_unlock(&cache.lock);
	return value;
}

static void *reader(void *arg)
{
	lookup();
	lookup();
	return arg;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&cache.lock);
	cache.value = 42;
	pthread_rwlock_unlock(&cache.lock);
	return arg;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_create(&c, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	if (cache.hits != 4) {
		fprintf(stderr, "%d hits instead of 4\n", cache.hits);
		return 1;
	}
	return 0;
}
