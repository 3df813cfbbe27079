/* The pointer is read under the lock, what it points to is written without.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage;
static int *current = &storage;

static void *work(void *arg)
{
	int *p;

	pthread_mutex_lock(&lock);
	p = current;
	pthread_mutex_unlock(&lock);
	*p += 1; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return storage > 2;
}
