/* end_output: the order shows in what is printed. */
#include <pthread.h>
#include <stdio.h>

static int x;

static void *writer(void *arg)
{
	x = 1;
	return arg;
}

static void *reader(void *arg)
{
	printf("%d\n", x);
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
