/* A barrier that waits for two.
 * never: A B */
#include <pthread.h>

static pthread_barrier_t barrier;
static int data;

static void *writer(void *arg)
{
	data = 1; /* @A */
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *reader(void *arg)
{
	pthread_barrier_wait(&barrier);
	return data ? arg : NULL; /* @B */
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
