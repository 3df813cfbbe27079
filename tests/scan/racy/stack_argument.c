/* A local of main, handed to a thread and used by main meanwhile.
 * expect: A B */
#include <pthread.h>

static void *square(void *arg)
{
	int *n = arg;

	*n *= *n; /* @A */
	return NULL;
}

int main(void)
{
	int number = 3;
	pthread_t t;

	pthread_create(&t, NULL, square, &number);
	number++; /* @B */
	pthread_join(t, NULL);
	return number < 9;
}
