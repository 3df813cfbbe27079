/* Waits with the mutex that guards the data.
 * never: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	items++; /* @A */
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *take(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!items) /* @B */
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&b, NULL, take, NULL);
	pthread_create(&a, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	pthread_join(b, NULL);
	return items > 1;
}
