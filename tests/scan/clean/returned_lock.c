/* lock_of() always returns the one lock.
 * never: A A */
#include <pthread.h>

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static long entries;

static pthread_mutex_t *lock_of(long key)
{
	(void)key;
	return &locks[0];
}

static void *insert(void *arg)
{
	pthread_mutex_t *lock = lock_of((long)arg);

	pthread_mutex_lock(lock);
	entries++; /* @A */
	pthread_mutex_unlock(lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, insert, (void *)0);
	pthread_create(&b, NULL, insert, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return entries != 2;
}
