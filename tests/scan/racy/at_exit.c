/* A detached thread is still counting when the at-exit function prints.
 * expect: A B */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long counted;

static void print(void)
{
	printf("%ld\n", counted); /* @B */
}

static void *count(void *arg)
{
	counted++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t t;

	atexit(print);
	pthread_create(&t, NULL, count, NULL);
	pthread_detach(t);
	exit(0);
}
