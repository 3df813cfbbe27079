/*
 * raytracer: spheres over a checkered floor, after raytracer of the Java Grande suite.
 *
 * Rows are dealt out through a locked counter; pixels are written by their row's thread alone.
 * What is wrong: the checksum is added up without a lock (the original's race), and is compared
 * with the known value at the end: a lost update makes the program say so and fail.
 *
 * expect: S S
 * harm: S S       the checksum is wrong: exit status 1
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, SPHERES = 8, MOST = 2048 };
static const struct { double x, y, z, r; } sphere[SPHERES] = {
	{ 0, 0, 6, 1 }, { 2, 0, 7, 1 }, { -2, 0, 7, 1 }, { 0, 2, 8, 1 }, { 1, 1, 5, .5 }, { -1, 1, 5, .5 }, { 1, -1, 5, .5 }, { -1, -1, 5, .5 },
};
static int size = 8;
static int next_row;
static pthread_mutex_t row_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char image[MOST][MOST];
static long checksum;

static int shade(double dx, double dy)
{
	double length = sqrt(dx * dx + dy * dy + 1), near = 1e9;
	int colour = (((int)fabs(dx * 8) + (int)fabs(dy * 8)) & 1) ? 40 : 80;

	dx /= length;
	dy /= length;
	for (int i = 0; i < SPHERES; i++) {
		double b = sphere[i].x * dx + sphere[i].y * dy + sphere[i].z / length;
		double c = sphere[i].x * sphere[i].x + sphere[i].y * sphere[i].y + sphere[i].z * sphere[i].z - sphere[i].r * sphere[i].r;
		double d = b * b - c;

		if (d > 0 && b - sqrt(d) < near) {
			near = b - sqrt(d);
			colour = 100 + (int)(near * 16) % 100;
		}
	}
	return colour;
}

static int take_row(void)
{
	pthread_mutex_lock(&row_lock);
	int row = next_row < size ? next_row++ : -1;
	pthread_mutex_unlock(&row_lock);
	return row;
}

static void *tracer(void *arg)
{
	for (int row; (row = take_row()) >= 0;) {
		long sum = 0;

		for (int x = 0; x < size; x++) {
			image[row][x] = (unsigned char)shade(2.0 * x / size - 1, 2.0 * row / size - 1);
			sum += image[row][x];
		}
		checksum += sum; /* @S */
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	long sum = 0;

	size = argc > 1 ? atoi(argv[1]) : size;
	if (size > MOST)
		size = MOST;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, tracer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int y = 0; y < size; y++)
		for (int x = 0; x < size; x++)
			sum += image[y][x];
	if (sum != checksum)
		return puts("validation failed"), 1;
	puts("valid");
	return 0;
}
