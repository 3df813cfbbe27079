/* A line buffer on each thread's stack.
 * never: A A */
#include <pthread.h>
#include <stdio.h>


static void *log_it(void *arg)
{
	char line[64];

	snprintf(line, sizeof(line), "thread %ld", (long)arg); /* @A */
	fputs(line, stderr);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, log_it, (void *)1);
	pthread_create(&b, NULL, log_it, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
