/* slow: a race, and a few milliseconds of work in every run. */
#include <pthread.h>

static int x;
static volatile int sink;

static void *work(void *arg)
{
	int local = 0;

	x++;
	for (int i = 0; i < 3000000; i++)
		local += i;
	sink = local;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
