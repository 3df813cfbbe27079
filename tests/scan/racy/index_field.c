/* Each thread has a context with its number in it, and all numbers are the same.
 * expect: A A */
#include <pthread.h>

#define THREADS 3
struct context {
	int number;
	long sum;
};
static struct context contexts[THREADS];
static long sums[THREADS];

static void *work(void *arg)
{
	struct context *c = arg;

	sums[c->number] += 1; /* @A */
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		contexts[i].number = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, &contexts[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return contexts[0].number != 1;
}
