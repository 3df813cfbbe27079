/*
 * A barrier used again and again. Between two rounds one thread writes and the other reads:
 * a race, however fast the writer comes to its next round. With an argument the reader waits
 * one round longer: none.
 */
#include "spy.h"

static pthread_barrier_t barrier;
static int x, seen, silent;

static void *writes(void *nothing)
{
	for (int i = 0; i < 200; i++) {
		pthread_barrier_wait(&barrier);
		x = i;
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	return nothing;
}

static void *reads(void *nothing)
{
	for (int i = 0; i < 200; i++) {
		pthread_barrier_wait(&barrier);
		if (silent)
			pthread_barrier_wait(&barrier);
		seen = x;
		if (!silent)
			pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	return nothing;
}

int main(int count, char **arguments)
{
	pthread_t threads[2];

	silent = count > 1;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&threads[0], NULL, writes, NULL);
	pthread_create(&threads[1], NULL, reads, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	CHECK(silent && seen != 199, 0);
	return 0;
}
