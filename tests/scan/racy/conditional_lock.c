/* Locks only when it was told to be careful, and half of the callers are not.
 * expect: A A */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add(int n, bool careful)
{
	if (careful)
		pthread_mutex_lock(&lock);
	sum += n; /* @A */
	if (careful)
		pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
	add(1, true);
	return arg;
}

static void *second(void *arg)
{
	add(2, false);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	add(5, false);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum < 5;
}
