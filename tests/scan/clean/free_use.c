/* Freed when the thread is gone.
 * never: A B */
#include <pthread.h>
#include <stdlib.h>

static void *use(void *arg)
{
	int *block = arg;

	block[0]++; /* @A */
	return NULL;
}

int main(void)
{
	int *block = calloc(4, sizeof(*block));
	pthread_t t;

	if (!block)
		return 0;
	pthread_create(&t, NULL, use, block);
	pthread_join(t, NULL);
	free(block); /* @B */
	return 0;
}
