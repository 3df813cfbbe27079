/* The error path unlocks and then writes on.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used, errors;

static int reserve(int n)
{
	pthread_mutex_lock(&lock);
	if (n > 8) {
		pthread_mutex_unlock(&lock);
		errors++; /* @A */
		return -1;
	}
	used += n;
	errors = 0; /* @B */
	pthread_mutex_unlock(&lock);
	return 0;
}

static void *small(void *arg)
{
	reserve(1);
	return arg;
}

static void *large(void *arg)
{
	reserve(100);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, small, NULL);
	pthread_create(&b, NULL, large, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return used > 8;
}
