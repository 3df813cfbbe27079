/* A single worker's own variable, which main reads while it runs.
 * expect: A B */
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
	printf("%d\n", progress); /* @B */
	pthread_join(t, NULL);
	return 0;
}
