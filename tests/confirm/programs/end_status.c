/* end_status: the loser of the race is the exit status. */
#include <pthread.h>


static int x;
static int seen;

static void *writer(void *arg)
{
	x = 1;
	return arg;
}

static void *reader(void *arg)
{
	seen = x ? 3 : 0;
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return seen;
}
