/*
 * nbody: particles that attract each other, after moldyn of the Java Grande suite.
 *
 * Each thread computes the forces on its share, a barrier, then moves its share. The energy is
 * added up under a lock. What is wrong: the number of interactions is counted without one, and
 * thread 0 resets the count between two barriers that the counting does not respect.
 * The lost counts change a statistic, nothing more.
 *
 * expect: C C      two threads count at once
 * expect: C R      ... and one resets meanwhile
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, MOST = 4096 };
static struct { double x, y, vx, vy, fx, fy; } body[MOST];
static int bodies = 12, steps = 2;
static long interactions;
static double energy;
static pthread_mutex_t energy_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static double force_on(int i)
{
	double potential = 0;

	body[i].fx = body[i].fy = 0;
	for (int j = 0; j < bodies; j++) {
		double dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, r2 = dx * dx + dy * dy + 0.01;
		double f = 1 / (r2 * sqrt(r2));

		body[i].fx += f * dx;
		body[i].fy += f * dy;
		potential -= 1 / sqrt(r2);
	}
	return potential;
}

static void *mover(void *arg)
{
	int self = (int)(long)arg, from = bodies * self / THREADS, to = bodies * (self + 1) / THREADS;

	for (int step = 0; step < steps; step++) {
		double potential = 0;

		for (int i = from; i < to; i++)
			potential += force_on(i);
		interactions += (to - from) * bodies; /* @C */
		pthread_barrier_wait(&barrier);
		for (int i = from; i < to; i++) {
			body[i].vx += 0.001 * body[i].fx;
			body[i].vy += 0.001 * body[i].fy;
			body[i].x += 0.001 * body[i].vx;
			body[i].y += 0.001 * body[i].vy;
		}
		pthread_mutex_lock(&energy_lock);
		energy += potential;
		pthread_mutex_unlock(&energy_lock);
		pthread_barrier_wait(&barrier);
		if (self == 0 && step % 100 == 0)
			interactions = 0; /* @R */ /* the others count already */
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	bodies = argc > 1 ? atoi(argv[1]) : bodies;
	steps = argc > 2 ? atoi(argv[2]) : steps;
	if (bodies > MOST)
		bodies = MOST;
	for (int i = 0; i < bodies; i++) {
		body[i].x = i % 17;
		body[i].y = i % 13;
	}
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, mover, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("energy %.3f\n", energy);
	return 0;
}
