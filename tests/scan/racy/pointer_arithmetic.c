/* A pointer into the middle of an array reaches what another thread has by index.
 * expect: A B */
#include <pthread.h>

static int cells[8];

static void *upper(void *arg)
{
	int *p = cells + 4;

	*p = 1; /* @A */
	return arg;
}

static void *lower(void *arg)
{
	cells[4] = 2; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, upper, NULL);
	pthread_create(&b, NULL, lower, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return cells[3] > 2;
}
