/* A helper that locks whatever lock it is given; all give the same.
 * never: A A */
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static unsigned total;

static void add_locked(pthread_mutex_t *lock, unsigned *to, unsigned n)
{
	pthread_mutex_lock(lock);
	*to += n; /* @A */
	pthread_mutex_unlock(lock);
}

static void *one(void *arg)
{
	add_locked(&first, &total, 1);
	return arg;
}

static void *two(void *arg)
{
	add_locked(&first, &total, 2);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return total != 3;
}
