/* errno is each thread's own.
 * never: A A */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>


static void *fail(void *arg)
{
	if (close(-1))
		errno = 9; /* @A */
	if (errno != EBADF)
		return NULL;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, fail, NULL);
	pthread_create(&b, NULL, fail, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
