/* A constructor starts a thread that main knows nothing of.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int beats;

static void *heart(void *arg)
{
	pthread_mutex_lock(&lock);
	beats++; /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t t;

	pthread_create(&t, NULL, heart, NULL);
	pthread_detach(t);
}

int main(void)
{
	int seen;

	seen = beats; /* @B */
	if (seen > 1)
		return 1;
	pthread_exit(NULL);
}
