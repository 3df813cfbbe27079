/* The loop of joins ends one too early.
 * expect: A B */
#include <pthread.h>

#define COUNT 3
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	sum += (int)(long)arg; /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[COUNT];
	int result;

	for (long i = 0; i < COUNT; i++)
		pthread_create(&t[i], NULL, add, (void *)i);
	for (int i = 0; i < COUNT - 1; i++)
		pthread_join(t[i], NULL);
	result = sum; /* @B */
	pthread_join(t[COUNT - 1], NULL);
	return result < 0;
}
