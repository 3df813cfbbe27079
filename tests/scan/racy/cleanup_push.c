/* The cleanup handler unlocks, and the value is written after it ran.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int work_done;

static void release(void *arg)
{
	pthread_mutex_unlock(arg);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(release, &lock);
	pthread_cleanup_pop(1);
	work_done++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return work_done != 2;
}
