/* Two drivers behind one table of functions; the second one does not lock.
 * expect: A B */
#include <pthread.h>

struct driver {
	const char *name;
	void (*write)(int byte);
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int port;

static void slow_write(int byte)
{
	pthread_mutex_lock(&lock);
	port = byte; /* @A */
	pthread_mutex_unlock(&lock);
}

static void fast_write(int byte)
{
	port = byte; /* @B */
}

static const struct driver drivers[] = { { "slow", slow_write }, { "fast", fast_write } };

static void *use(void *arg)
{
	const struct driver *driver = arg;

	driver->write(3);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, (void *)&drivers[0]);
	pthread_create(&b, NULL, use, (void *)&drivers[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return port != 3;
}
