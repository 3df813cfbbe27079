/* Upgrading by letting go of the read lock, and writing in the gap.
 * expect: A A */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int filled;

static void *fill(void *arg)
{
	int missing;

	pthread_rwlock_rdlock(&lock);
	missing = !filled;
	pthread_rwlock_unlock(&lock);
	if (missing) {
		filled = 1; /* @A */
	}
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, fill, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
