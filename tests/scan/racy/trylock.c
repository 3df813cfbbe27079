/* Tries the lock and goes on whatever came of it.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static _Thread_local int skipped;

static void *work(void *arg)
{
	int busy = pthread_mutex_trylock(&lock);

	done++; /* @A */
	if (!busy)
		pthread_mutex_unlock(&lock);
	skipped += busy != 0;
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
