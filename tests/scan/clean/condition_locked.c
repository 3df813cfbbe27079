/* Everything about the queue happens under its lock, waits included.
 * never: A B */
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
	taken = length; /* @B */
	pthread_mutex_unlock(&lock);
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
