/* Four threads, two slots.
 * expect: A A */
#include <pthread.h>

#define THREADS 4
static int slots[2];

static void *work(void *arg)
{
	long id = (long)arg;

	slots[id % 2]++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return slots[0] + slots[1] > THREADS;
}
