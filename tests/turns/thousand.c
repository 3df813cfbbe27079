/* A thousand threads alive at once. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *count(void *arg)
{
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	static pthread_t t[1000];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < 1000; i++)
		if (pthread_create(&t[i], &small, count, NULL))
			return 2;
	for (int i = 0; i < 1000; i++)
		pthread_join(t[i], NULL);
	return n == 1000 ? 0 : 3;
}
