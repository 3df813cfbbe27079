/* A detached thread nobody waits for; main looks under the lock.
 * never: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ticks;

static void *clock_thread(void *arg)
{
	pthread_mutex_lock(&lock);
	ticks++; /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;

	pthread_create(&t, NULL, clock_thread, NULL);
	pthread_detach(t);
	pthread_mutex_lock(&lock);
	seen = ticks; /* @B */
	pthread_mutex_unlock(&lock);
	if (seen > 1)
		return 1;
	pthread_exit(NULL); /* the thread goes on */
}
