/* The lock is taken in both branches.
 * never: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state;

static void *step(void *arg)
{
	long id = (long)arg;

	if (id == 0) {
		pthread_mutex_lock(&lock);
	} else {
		pthread_mutex_lock(&lock);
		id = 2;
	}
	state = state * 2 + (int)id; /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, step, (void *)0);
	pthread_create(&b, NULL, step, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
