/* Two bits of one word, one lock.
 * never: A B */
#include <pthread.h>

static struct {
	unsigned open : 1;
	unsigned dirty : 1;
} flags;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

static void *opener(void *arg)
{
	pthread_mutex_lock(&open_lock);
	flags.open = 1; /* @A */
	pthread_mutex_unlock(&open_lock);
	return arg;
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&open_lock);
	flags.dirty = 1; /* @B */
	pthread_mutex_unlock(&open_lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, opener, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
