/* No data race; fails when the looker comes between two critical sections: depth 2, 10 threads. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int x, y, n;

static void *two_stages(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	y = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *look(void *arg)
{
	int bad;

	pthread_mutex_lock(&m);
	bad = x && !y;
	pthread_mutex_unlock(&m);
	if (bad)
		abort();
	return arg;
}

static void *crowd(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&other);
		n++;
		pthread_mutex_unlock(&other);
	}
	return arg;
}

int main(void)
{
	pthread_t t[10];

	pthread_create(&t[0], NULL, two_stages, NULL);
	pthread_create(&t[1], NULL, look, NULL);
	for (int i = 2; i < 10; i++)
		pthread_create(&t[i], NULL, crowd, NULL);
	for (int i = 0; i < 10; i++)
		pthread_join(t[i], NULL);
	return 0;
}
