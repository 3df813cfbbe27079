/*
 * montecarlo: prices of an option by random walks, after montecarlo of the Java Grande suite.
 *
 * Results are collected under a lock. What is wrong: a debugging switch in the generator is set
 * by every worker at its start, without a lock (the original's benign race): all write the same.
 *
 * expect: D D      two workers set it at once
 * expect: D U      one sets it while the other looks
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2 };
static int paths = 4, length = 10;
static int verbose = 1;
static double total;
static long finished;
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;

static double uniform(unsigned long *state)
{
	*state = *state * 6364136223846793005ul + 1442695040888963407ul;
	return (double)(*state >> 11) / (double)(1ul << 53);
}

static double walk(unsigned long *state)
{
	double price = 100;

	for (int i = 0; i < length; i++)
		price *= exp(0.0001 + 0.01 * (uniform(state) - 0.5));
	return price > 100 ? price - 100 : 0;
}

static void *worker(void *arg)
{
	unsigned long state = (unsigned long)arg * 77 + 1;

	verbose = 0; /* @D */
	for (int i = 0; i < paths; i++) {
		double value = walk(&state);

		pthread_mutex_lock(&result_lock);
		total += value;
		finished++;
		pthread_mutex_unlock(&result_lock);
	}
	if (verbose) /* @U */
		fprintf(stderr, "worker %ld is done\n", (long)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	paths = argc > 1 ? atoi(argv[1]) : paths;
	length = argc > 2 ? atoi(argv[2]) : length;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, worker, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%ld paths\n", finished);
	return 0;
}
