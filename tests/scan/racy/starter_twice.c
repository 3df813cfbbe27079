/* start() makes one thread, and is called twice.
 * expect: A A */
#include <pthread.h>

static pthread_t ids[2];
static int ticks;

static void *tick(void *arg)
{
	ticks++; /* @A */
	return arg;
}

static void start(int n)
{
	pthread_create(&ids[n], NULL, tick, NULL);
}

int main(void)
{
	start(0);
	start(1);
	pthread_join(ids[0], NULL);
	pthread_join(ids[1], NULL);
	return ticks > 2;
}
