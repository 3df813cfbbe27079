/* An address that travels as an integer.
 * expect: A B */
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int target;

static void *by_integer(void *arg)
{
	uintptr_t address = (uintptr_t)arg;
	int *p = (int *)(address & ~(uintptr_t)1);

	*p = 4; /* @A */
	return NULL;
}

static void *by_name(void *arg)
{
	pthread_mutex_lock(&lock);
	target = 5; /* @B */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, by_integer, (void *)((uintptr_t)&target | 1));
	pthread_create(&b, NULL, by_name, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return target > 5;
}
