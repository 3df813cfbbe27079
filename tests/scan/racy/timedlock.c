/* A lock with a deadline; the code after a timeout writes all the same.
 * expect: A B */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void *add(void *arg)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 30;
	if (pthread_mutex_timedlock(&lock, &until) != 0)
		return arg;
	pthread_mutex_unlock(&lock);
	jobs++; /* @A */
	return arg;
}

static void *take(void *arg)
{
	pthread_mutex_lock(&lock);
	if (jobs > 0) /* @B */
		jobs--;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
