/* One handle for a loop of threads: the join after the loop waits for the last only.
 * expect: A B */
#include <pthread.h>

static int done;

static void *work(void *arg)
{
	done++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;

	for (int i = 0; i < 2; i++) {
		pthread_create(&t, NULL, work, NULL);
	}
	pthread_join(t, NULL);
	seen = done; /* @B */
	return seen > 2;
}
