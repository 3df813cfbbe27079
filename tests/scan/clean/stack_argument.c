/* A local of main, handed to a thread and used again after it was joined.
 * never: A B */
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
	pthread_join(t, NULL);
	number++; /* @B */
	return number < 9;
}
