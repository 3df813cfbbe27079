/* A thread joined by a helper that main does not wait for.
 * expect: A B */
#include <pthread.h>

static pthread_t worker_id;
static int output;

static void *worker(void *arg)
{
	output = 1; /* @A */
	return arg;
}

static void *janitor(void *arg)
{
	pthread_join(worker_id, NULL);
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;

	pthread_create(&worker_id, NULL, worker, NULL);
	pthread_create(&t, NULL, janitor, NULL);
	seen = output; /* @B */
	pthread_join(t, NULL);
	return seen > 1;
}
