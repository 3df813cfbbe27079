/* daemon: forks, the parent exits, the child works on with threads. */
#include <pthread.h>
#include <unistd.h>

static void *work(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (fork())
		return 0;
	setsid();
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	for (;;)
		pause();
}
