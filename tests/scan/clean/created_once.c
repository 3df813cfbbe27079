/* A single worker's own variable: nobody else touches it.
 * never: A B */
#include <pthread.h>
#include <stdio.h>

static int progress;

static void *worker(void *arg)
{
	for (int i = 0; i < 5; i++)
		progress += i; /* @A */
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	printf("%d\n", progress); /* @B */
	return 0;
}
