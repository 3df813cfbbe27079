/*
 * A hit counter that several threads increment.
 *
 * What is wrong: `counter++` is a read and a write; two threads can read the same value
 * and one increment is lost. The check at the end notices.
 * deadheat shows: the pair inc/inc on counter, confirmed, and harmful when the sum is
 * wrong (exit status 1, which the undisturbed run does not have).
 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 2
#define ROUNDS 3

static int counter;

static void *inc(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		counter++;
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, inc, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (counter != THREADS * ROUNDS) {
		fprintf(stderr, "counted %d of %d\n", counter, THREADS * ROUNDS);
		return 1;
	}
	return 0;
}
