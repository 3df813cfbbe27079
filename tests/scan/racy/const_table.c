/* A table all read, and one thread patches.
 * expect: A B */
#include <pthread.h>

static int primes[] = { 2, 3, 5, 7 };

static void *sum(void *arg)
{
	long total = 0;

	for (int i = 0; i < 4; i++)
		total += primes[i]; /* @A */
	return total ? arg : NULL;
}

static void *patch(void *arg)
{
	primes[3] = 11; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sum, NULL);
	pthread_create(&b, NULL, patch, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
