/* The thread's function is called by main, too, after the thread ended.
 * never: A A */
#include <pthread.h>

static int calls;

static void *work(void *arg)
{
	calls++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	work(NULL);
	return calls > 2;
}
