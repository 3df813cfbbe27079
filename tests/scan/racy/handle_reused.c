/* Two threads, one handle: only the second can be joined.
 * expect: A B */
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
	pthread_t t;
	int seen;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&t, NULL, second, NULL);
	pthread_join(t, NULL);
	seen = value; /* @B */
	return seen > 1;
}
