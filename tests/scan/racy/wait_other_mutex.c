/* Waits with one mutex and reads what another one guards.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
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
	pthread_mutex_lock(&other);
	if (!items) /* @B */
		items = 0;
	pthread_mutex_unlock(&other);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&b, NULL, take, NULL);
	pthread_create(&a, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return items > 1;
}
