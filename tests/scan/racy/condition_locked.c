/* The queue's length is read after the wait, outside the lock.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nonempty = PTHREAD_COND_INITIALIZER;
static int length, taken;

static void *push(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		length++; /* @A */
		pthread_cond_signal(&nonempty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *pop(void *arg)
{
	pthread_mutex_lock(&lock);
	while (length == 0)
		pthread_cond_wait(&nonempty, &lock);
	length--;
	pthread_mutex_unlock(&lock);
	taken = length; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, push, NULL);
	pthread_create(&b, NULL, pop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return taken < 0;
}
