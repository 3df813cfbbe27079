/* end_hang: one order spins for ever, politely. */
#include <pthread.h>
#include <sched.h>

static int x;
static volatile int never;

static void *writer(void *arg)
{
	x = 1;
	return arg;
}

static void *reader(void *arg)
{
	if (x)
		while (!never)
			sched_yield();
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
