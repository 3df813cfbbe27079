/* A signal handler of the main thread and a worker write one variable.
 * expect: A B */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static int events;

static void on_signal(int number)
{
	events = number; /* @A */
}

static void *worker(void *arg)
{
	events++; /* @B */
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
