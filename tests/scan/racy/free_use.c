/* Freed while the thread may still use it.
 * expect: A B */
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
	free(block); /* @B */
	pthread_join(t, NULL);
	return 0;
}
