/* The lock is let go by a function behind a pointer, before the write.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void release(void)
{
	pthread_mutex_unlock(&lock);
}

static void (*const leave)(void) = release;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	leave();
	shared++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared > 2;
}
