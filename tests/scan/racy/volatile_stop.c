/* volatile is no synchronisation.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>

static volatile int stop;

static void *loop(void *arg)
{
	int rounds = 0;

	while (!stop && rounds < 1000) /* @A */
		rounds++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, loop, NULL);
	stop = 1; /* @B */
	pthread_join(t, NULL);
	return 0;
}
