/* silent: two threads, a lock, no output; and a line that only reads. */
#include <pthread.h>

int a, b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = a; /* read a */
	seen += b; /* read b */
	a = seen + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	return 0;
}
