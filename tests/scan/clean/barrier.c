/* Two phases with a barrier between them.
 * never: A B */
#include <pthread.h>

static pthread_barrier_t barrier;
static int first_half, second_half;

static void *alpha(void *arg)
{
	first_half = 1; /* @A */
	pthread_barrier_wait(&barrier);
	second_half = 2;
	return arg;
}

static void *beta(void *arg)
{
	int seen;

	pthread_barrier_wait(&barrier);
	seen = first_half; /* @B */
	return seen ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&a, NULL, alpha, NULL);
	pthread_create(&b, NULL, beta, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return second_half != 2;
}
