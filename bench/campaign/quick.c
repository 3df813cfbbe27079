/* quick - for the rate of campaigns: two threads and a harmless race, so that a trial is as short as one can be. */
#include <pthread.h>

static int counter;

static void *add(void *x)
{
	counter++;
	return x;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
