/*
 * A loop over plain memory: no point is ever reached in it unless its accesses are known from
 * detect. expect: A B; without that knowledge only the clock ends a trial in which it comes first.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *spin(void *arg)
{
	while (!flag) /* @A */
		__asm__ volatile("" : "+m"(flag));
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, spin, NULL);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	flag = 1; /* @B */
	pthread_join(t, NULL);
	return 0;
}
