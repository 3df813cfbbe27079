/* A recursive mutex taken again by the inner function.
 * never: A A */
#include <pthread.h>

static pthread_mutex_t lock;
static int depth, total;

static void inner(void)
{
	pthread_mutex_lock(&lock);
	depth = 1;
	pthread_mutex_unlock(&lock);
}

static void *outer(void *arg)
{
	pthread_mutex_lock(&lock);
	inner();
	total += 2; /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t kind;
	pthread_t a, b;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &kind);
	pthread_create(&a, NULL, outer, NULL);
	pthread_create(&b, NULL, outer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return total + depth == 0;
}
