/* Two threads, two handles, both joined.
 * never: A B */
#include <pthread.h>

static int value;

static void *first(void *arg)
{
	value = 1; /* @A */
	return arg;
}

static void *second(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t, u;
	int seen;

	pthread_create(&u, NULL, first, NULL);
	pthread_create(&t, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	seen = value; /* @B */
	return seen > 1;
}
