/* The array is swapped for the next round, but the barrier stands only at the start of a round.
 * expect: A B */
#include <pthread.h>

static pthread_barrier_t barrier;
static int cell;

static void *writer(void *arg)
{
	for (int round = 0; round < 3; round++) {
		pthread_barrier_wait(&barrier);
		cell = round; /* @A */
	}
	return arg;
}

static void *reader(void *arg)
{
	int sum = 0;

	for (int round = 0; round < 3; round++) {
		pthread_barrier_wait(&barrier);
		sum += cell; /* @B */
	}
	return sum ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
