/* Counters by pointer; the shared one goes to a helper that does not lock.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long grand_total;

static void bump(unsigned long *counter, unsigned long by)
{
	*counter += by; /* @A */
}

static void *work(void *arg)
{
	unsigned long mine = 0;

	for (unsigned long i = 0; i < 3; i++)
		bump(&mine, i);
	bump(&grand_total, mine);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_mutex_destroy(&lock);
	return grand_total != 6;
}
