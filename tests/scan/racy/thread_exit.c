/* pthread_exit while the other thread reads what the first wrote late.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stage;

static void leave(int code)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	stage = code; /* @A */
	pthread_exit(NULL);
}

static void *worker(void *arg)
{
	leave(2);
	stage = 99; /* never reached */
	return arg;
}

static void *watcher(void *arg)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = stage; /* @B */
	pthread_mutex_unlock(&lock);
	return seen ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, watcher, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
