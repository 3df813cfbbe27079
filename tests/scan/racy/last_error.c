/* A last_error of our own, one for all threads.
 * expect: A A */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static int last_error;

static void *fail(void *arg)
{
	if (close(-1))
		last_error = 9; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, fail, NULL);
	pthread_create(&b, NULL, fail, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return errno && last_error != EBADF;
}
