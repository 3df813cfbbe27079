/* read(2) into a buffer that another thread looks at.
 * expect: A B */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char buffer[16];
static long got;

static void *source(void *arg)
{
	int fd = open("/dev/zero", O_RDONLY);
	long n = read(fd, buffer, sizeof(buffer)); /* @A */

	close(fd);
	pthread_mutex_lock(&lock);
	got = n;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *look(void *arg)
{
	long n;

	pthread_mutex_lock(&lock);
	n = got; /* @C */
	pthread_mutex_unlock(&lock);
	return buffer[0] && n ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, source, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
