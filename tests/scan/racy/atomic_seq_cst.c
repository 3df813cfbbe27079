/* The flag is set before the data is there.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>

static char message[8];
static _Atomic _Bool there;

static void *sender(void *arg)
{
	there = 1;
	message[0] = 'x'; /* @A */
	return arg;
}

static void *receiver(void *arg)
{
	while (!there)
		;
	return message[0] == 'x' ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
