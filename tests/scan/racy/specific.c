/* pthread_setspecific with the same buffer in every thread.
 * expect: A A */
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int common[4];

static int *buffer(void)
{
	return pthread_getspecific(key);
}

static void *work(void *arg)
{
	pthread_setspecific(key, common);
	if (buffer())
		buffer()[1] = 1; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_key_create(&key, NULL);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
