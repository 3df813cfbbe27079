/* The global pointer to the lock in use is replaced: two threads may hold different locks.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *_Atomic current = &lock_a;
static int shared;

static void *work(void *arg)
{
	pthread_mutex_t *lock = current;

	current = &lock_b;
	pthread_mutex_lock(lock);
	shared++; /* @A */
	pthread_mutex_unlock(lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared > 2;
}
