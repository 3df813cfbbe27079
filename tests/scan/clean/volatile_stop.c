/* The flag is atomic.
 * never: A B */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

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
