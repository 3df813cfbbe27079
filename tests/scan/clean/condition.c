/* Hand-over by a flag under a lock and a condition.
 * never: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *giver(void *arg)
{
	data = 9; /* @A */
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *taker(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return data == 9 ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, giver, NULL);
	pthread_create(&b, NULL, taker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
