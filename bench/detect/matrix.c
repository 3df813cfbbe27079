/*
 * matrix - a kernel of ours: C = A * B by rows, then a relaxation over C with a barrier
 * per sweep. Dense loops over doubles, all threads reading one matrix.
 * Usage: matrix [THREADS [SIZE [SWEEPS]]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int size = 300, sweeps = 60, threads = 4;
static double *a, *b, *c, *d;
static pthread_barrier_t barrier;

static void multiply(int from, int to)
{
	for (int i = from; i < to; i++)
		for (int k = 0; k < size; k++)
			for (int j = 0; j < size; j++)
				c[i * size + j] += a[i * size + k] * b[k * size + j];
}

static void relax(const double *in, double *out, int from, int to)
{
	for (int i = from > 1 ? from : 1; i < to && i < size - 1; i++)
		for (int j = 1; j < size - 1; j++)
			out[i * size + j] = 0.25 * (in[(i - 1) * size + j] + in[(i + 1) * size + j] +
						    in[i * size + j - 1] + in[i * size + j + 1]);
}

static void *work(void *argument)
{
	int n = (int)(long)argument, from = size * n / threads, to = size * (n + 1) / threads;

	multiply(from, to);
	for (int s = 0; s < sweeps; s++) {
		pthread_barrier_wait(&barrier);
		relax(s % 2 ? d : c, s % 2 ? c : d, from, to);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[64];
	double sum = 0;
	size_t count;

	if (argc > 1)
		threads = atoi(argv[1]);
	if (argc > 2)
		size = atoi(argv[2]);
	if (argc > 3)
		sweeps = atoi(argv[3]);
	if (threads < 1 || threads > 64 || size < 1)
		return 2;
	count = (size_t)size * size;
	a = malloc(count * sizeof(*a));
	b = malloc(count * sizeof(*b));
	c = calloc(count, sizeof(*c));
	d = calloc(count, sizeof(*d));
	for (size_t i = 0; i < count; i++) {
		a[i] = i % 7;
		b[i] = i % 11;
	}
	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	for (long i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, work, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	for (size_t i = 0; i < count; i++)
		sum += c[i] + d[i];
	printf("%.6g\n", sum);
	return 0;
}
