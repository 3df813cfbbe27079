/* bounded buffer: the consumer tests with `if` where it must be `while`; two of them, one item. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int count;

static void *consumer(void *arg)
{
	pthread_mutex_lock(&lock);
	if (count == 0)
		pthread_cond_wait(&filled, &lock);
	assert(count > 0);
	count--;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *producer(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_cond_broadcast(&filled);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, consumer, NULL);
	pthread_create(&t[1], NULL, consumer, NULL);
	pthread_create(&t[2], NULL, producer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
