/* Two locks in opposite order, the late thread with a long way to go over one of them. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *early(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	n++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *late(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&a);
		pthread_mutex_unlock(&a);
	}
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	n++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

int main(void)
{
	pthread_t s, t;

	pthread_create(&s, NULL, early, NULL);
	pthread_create(&t, NULL, late, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	return 0;
}
