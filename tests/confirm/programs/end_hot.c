/* end_hot: the racing access is in a loop of many rounds; nothing comes of it. */
#include <pthread.h>


static int x;
static int seen;

static void *writer(void *arg)
{
	for (int i = 0; i < 200000; i++)
		x = i;
	return arg;
}

static void *reader(void *arg)
{
	for (int i = 0; i < 200000; i++)
		seen += x;
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
