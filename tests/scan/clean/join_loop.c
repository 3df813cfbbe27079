/* All threads of the array are joined before the sum is used.
 * never: A B */
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
	for (int i = 0; i < COUNT; i++)
		pthread_join(t[i], NULL);
	result = sum; /* @B */
	return result < 0;
}
