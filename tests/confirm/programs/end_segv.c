/* end_segv: one order follows a null pointer. */
#include <pthread.h>


static int x;

static void *writer(void *arg)
{
	x = 1;
	return arg;
}

static void *reader(void *arg)
{
	if (x)
		*(volatile int *)8 = 1;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
