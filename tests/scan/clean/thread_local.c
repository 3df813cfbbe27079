/* A thread-local counter.
 * never: A B */
#include <pthread.h>

static __thread int mine;

static void *owner(void *arg)
{
	for (int i = 0; i < 3; i++)
		mine++; /* @A */
	return mine == 3 ? arg : NULL;
}

static void *guest(void *arg)
{
	mine = 0; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, guest, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
