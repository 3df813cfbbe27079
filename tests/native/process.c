/* fork, exec, vfork: the child runs on, unheard; the parent as before. */
#include "spy.h"

#include <sys/wait.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static int status_of(pid_t child)
{
	int status;

	CHECK(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void *works(void *nothing)
{
	char *block = malloc(100);

	pthread_mutex_lock(&m);
	memset(block, 1, 100);
	pthread_mutex_unlock(&m);
	free(block);
	return nothing;
}

static void *holds(void *nothing)
{
	char byte;

	CHECK(read(ends[0], &byte, 1), 1);
	return nothing;
}

/* Handlers lock and allocate: no lock of the runtime may be held there. */
static void prepares(void)
{
	CHECK(pthread_mutex_lock(&m), 0);
	free(malloc(100));
}

static void resumes(void)
{
	free(malloc(100));
	CHECK(pthread_mutex_unlock(&m), 0);
}

int main(void)
{
	pthread_t thread, inner;
	pid_t child;

	NAME(m);
	CHECK(pipe(ends), 0);
	CHECK(pthread_atfork(prepares, resumes, resumes), 0);
	/* A second thread is there while we fork; the child makes threads of its own.
	   > T0 create T1
	   > T1 start
	   > T0 want m write
	   > T0 acquire m write
	   > child of T0
	   > T0 release m write */
	CHECK(pthread_create(&thread, NULL, holds, NULL), 0);
	child = fork();
	if (!child) {
		CHECK(pthread_create(&inner, NULL, works, NULL), 0);
		CHECK(pthread_join(inner, NULL), 0);
		exit(7);
	}
	CHECK(status_of(child), 7);
	/* > T0 want m write
	   > T0 acquire m write
	   > child of T0
	   > T0 release m write */
	child = vfork();
	if (!child)
		_exit(8);
	CHECK(status_of(child), 8);
	/* > T0 want m write
	   > T0 acquire m write
	   > child of T0
	   > T0 release m write */
	child = fork();
	if (!child) {
		execl("/bin/sh", "sh", "-c", "exit $1", "sh", "9", (char *)NULL);
		_exit(1);
	}
	CHECK(status_of(child), 9);
	/* > T0 want m write
	   > T0 acquire m write
	   > child of T0
	   > T0 release m write */
	child = fork();
	if (!child)
		abort();
	CHECK(status_of(child), -6);
	CHECK(WEXITSTATUS(system("exit 5")), 5);
	/* > T0 want m write
	   > T0 acquire m write
	   > T0 release m write
	   > T1 end
	   > T0 join T1
	   > end */
	works(NULL);
	CHECK(write(ends[1], "x", 1), 1);
	CHECK(pthread_join(thread, NULL), 0);
	_exit(0);
}
