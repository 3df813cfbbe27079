/* lock_of() picks a lock by shard, but the data is shared by all shards.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static long entries;

static pthread_mutex_t *lock_of(long key)
{
	return &locks[key & 1];
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
