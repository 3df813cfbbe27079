/* Each thread has an element of its own.
 * never: A B */
#include <pthread.h>

#define THREADS 3
static int result[THREADS + 1];

static void *work(void *arg)
{
	long id = (long)arg;

	result[id] = (int)id; /* @A */
	return result[id] ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t t[THREADS];
	int sum = 0;

	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		sum += result[i];
	return sum != 3;
}
