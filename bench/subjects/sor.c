/*
 * sor: successive over-relaxation of a grid, red and black points in turn, after sor of the
 * ETH suite. Barriers separate the colours, so neighbours never meet: no race at all. A detector
 * without barriers suspects every row on the border of two threads (the paper: 8 false ones).
 *
 * never: W N
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, MOST = 1026 };
static double grid[MOST][MOST];
static int size = 8, rounds = 2;
static pthread_barrier_t barrier;

static void relax(int from, int to, int colour)
{
	for (int y = from; y < to; y++)
		for (int x = 1 + (y + colour) % 2; x <= size; x += 2) {
			double around = grid[y - 1][x] + grid[y + 1][x] + grid[y][x - 1] + grid[y][x + 1]; /* @N */

			grid[y][x] = -0.2 * grid[y][x] + 1.2 * around / 4; /* @W */
		}
}

static void *worker(void *arg)
{
	int self = (int)(long)arg, from = 1 + size * self / THREADS, to = 1 + size * (self + 1) / THREADS;

	for (int i = 0; i < rounds; i++)
		for (int colour = 0; colour < 2; colour++) {
			relax(from, to, colour);
			pthread_barrier_wait(&barrier);
		}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	size = argc > 1 ? atoi(argv[1]) : size;
	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	if (size > MOST - 2)
		size = MOST - 2;
	for (int i = 0; i < size + 2; i++)
		grid[0][i] = 100;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, worker, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%.6f\n", grid[size / 2][size / 2]);
	return 0;
}
