/* Two threads, two slots.
 * never: A A */
#include <pthread.h>

#define THREADS 2
static int slots[2];

static void *work(void *arg)
{
	long id = (long)arg;

	slots[id]++; /* @A */
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
