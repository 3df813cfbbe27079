/* Neighbouring members of one struct, one for each thread.
 * never: A B */
#include <pthread.h>

union pair {
	struct {
		short low, high;
	} part;
	int both;
};
static union pair pair;

static void *low(void *arg)
{
	pair.part.low = 1; /* @A */
	return arg;
}

static void *high(void *arg)
{
	pair.part.high = 2; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, low, NULL);
	pthread_create(&b, NULL, high, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return pair.part.high != 2;
}
