/* Spins on trylock, at most three times, and then goes in anyway.
 * expect: A A */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entered;

static void *enter(void *arg)
{
	int tries = 0;

	while (pthread_mutex_trylock(&lock) && tries++ < 3)
		sched_yield();
	entered++; /* @A */
	if (tries <= 3)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, enter, NULL);
	pthread_create(&b, NULL, enter, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return entered > 2;
}
