/* Slices of an array, one for each thread.
 * never: A A */
#include <pthread.h>

#define THREADS 2
#define SLICE 8
static unsigned char pixels[THREADS * SLICE + 1];

static void *blur(void *arg)
{
	long id = (long)arg;

	for (long i = id * SLICE; i < (id + 1) * SLICE; i++)
		pixels[i] /= 2; /* @A */
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, blur, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return pixels[0];
}
