/* Upgrading: let go of the read lock, take the write lock, look again.
 * never: A A */
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
		pthread_rwlock_wrlock(&lock);
		filled = 1; /* @A */
		pthread_rwlock_unlock(&lock);
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
