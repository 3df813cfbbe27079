/* The same worker, started twice: its own variable is not its own.
 * expect: A A */
#include <pthread.h>

static int scratch;

static void *worker(void *arg)
{
	scratch = (int)(long)arg; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, (void *)1);
	pthread_create(&b, NULL, worker, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return scratch != 2 && scratch != 1;
}
