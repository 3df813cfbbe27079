/* Two producers count under the lock; the consumer waits for both.
 * never: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready, first, second;

static void finish(void)
{
	pthread_mutex_lock(&lock);
	ready++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
}

static void *make_first(void *arg)
{
	first = 1; /* @A */
	finish();
	return arg;
}

static void *make_second(void *arg)
{
	second = 1;
	finish();
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int sum;

	pthread_create(&a, NULL, make_first, NULL);
	pthread_create(&b, NULL, make_second, NULL);
	pthread_mutex_lock(&lock);
	while (ready < 2)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	sum = first + second; /* @B */
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum > 2;
}
