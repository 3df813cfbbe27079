/* Outer and inner lock; the third function has only the outer one where the inner one counts.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *deep(void *arg)
{
	pthread_mutex_lock(&inner);
	data++; /* @A */
	pthread_mutex_unlock(&inner);
	return arg;
}

static void *both(void *arg)
{
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	pthread_mutex_unlock(&inner);
	data = 0; /* @B */
	pthread_mutex_unlock(&outer);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, deep, NULL);
	pthread_create(&b, NULL, both, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return data > 1;
}
