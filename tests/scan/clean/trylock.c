/* Tries the lock and only counts when it was free.
 * never: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static _Thread_local int skipped;

static void *work(void *arg)
{
	if (pthread_mutex_trylock(&lock) == 0) {
		done++; /* @A */
		pthread_mutex_unlock(&lock);
	} else {
		skipped++;
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return done > 2;
}
