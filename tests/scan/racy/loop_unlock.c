/* A loop that lets go of the lock at the end of its first round and goes on without.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 3; i++) {
		steps++; /* @A */
		if (i == 0)
			pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return steps > 6;
}
