/* Counters by pointer: the helper does not lock, and only locals are given to it.
 * never: A A */
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
	pthread_mutex_lock(&lock);
	grand_total += mine;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return grand_total != 6;
}
