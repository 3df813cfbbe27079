/* The flag of the hand-over is set back and the slot used again without waiting.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int full, slot;

static void *producer(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		slot = i; /* @A */
		pthread_mutex_lock(&lock);
		full = 1;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consumer(void *arg)
{
	int sum = 0;

	for (int i = 0; i < 1; i++) {
		pthread_mutex_lock(&lock);
		while (!full)
			pthread_cond_wait(&cond, &lock);
		full = 0;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&lock);
		sum += slot; /* @B */
	}
	return sum ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
