/* Contexts in an array, one for each thread.
 * never: A A */
#include <pthread.h>

#define THREADS 4
struct context {
	int id;
	unsigned long sum;
};
static struct context contexts[THREADS];

static void *work(void *arg)
{
	struct context *context = arg;

	for (int i = 0; i < 3; i++)
		context->sum += (unsigned long)i; /* @A */
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++) {
		contexts[i].id = i;
		pthread_create(&t[i], NULL, work, &contexts[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return contexts[0].sum == 0;
}
