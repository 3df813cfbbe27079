/* The loop variable's value is handed to every thread.
 * never: A B */
#include <pthread.h>

#define THREADS 2

static void *work(void *arg)
{
	int id = (int)(long)arg; /* @A */

	return id > 100 ? arg : NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) /* @B */
		pthread_create(&t[i], NULL, work, (void *)(long)i);
	for (int k = 0; k < THREADS; k++)
		pthread_join(t[k], NULL);
	return 0;
}
