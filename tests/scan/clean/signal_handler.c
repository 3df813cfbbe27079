/* A signal handler and a worker share an atomic.
 * never: A B */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int events;

static void on_signal(int number)
{
	atomic_store(&events, number); /* @A */
}

static void *worker(void *arg)
{
	atomic_fetch_add(&events, 1); /* @B */
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, on_signal);
	pthread_create(&t, NULL, worker, NULL);
	raise(SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}
