/* ends KIND: the ways a program can end while others are alive. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *kind;

static int is(const char *name)
{
	return !strcmp(kind, name);
}

static void *works(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	if (is("thread-exit"))
		exit(5);
	return arg;
}

static void handler(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}

int main(int argc, char **argv)
{
	pthread_t t;

	kind = argc > 1 ? argv[1] : "return";
	atexit(handler);
	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, works, NULL);
	if (is("return"))
		return 4;
	if (is("pthread_exit"))
		pthread_exit(NULL);
	if (is("_exit"))
		_exit(6);
	if (is("assert"))
		assert(argc == 1);
	if (is("signal"))
		raise(SIGSEGV);
	pthread_join(t, NULL);
	for (;;)
		pause();
}
