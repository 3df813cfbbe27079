#include <pthread.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a)
{
	x++;
	for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); y++; pthread_mutex_unlock(&m); }
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	f(0);
	pthread_join(t, 0);
	return 0;
}
