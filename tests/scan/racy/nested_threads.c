/* A thread that starts another one and does not wait for it.
 * expect: A B */
#include <pthread.h>

static int value;

static void *grandchild(void *arg)
{
	value = 1; /* @A */
	return arg;
}

static void *child(void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, grandchild, NULL);
	pthread_detach(t);
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;

	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, NULL);
	seen = value; /* @B */
	return seen > 1;
}
