/* A scratch buffer made at every use.
 * never: A A */
#include <pthread.h>
#include <stdlib.h>

static int *scratch(void)
{
	return calloc(4, sizeof(int));
}

static void *work(void *arg)
{
	int *buffer = scratch();

	if (buffer)
		buffer[0]++; /* @A */
	free(buffer);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
