/* A threaded program forks: the child has one thread, its mutexes and pipes work, the parent waits. */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int fds[2], runs, prepared;

static void routine(void)
{
	runs++;
}

static void prepare(void)
{
	pthread_mutex_lock(&m);
	prepared++;
}

static void after(void)
{
	pthread_mutex_unlock(&m);
}

static void *child_thread(void *unused)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return unused;
}

static void child(int number)
{
	pthread_t t;

	pthread_once(&once, routine);
	EXPECT(runs == 1);
	EXPECT_CODE(0, pthread_create(&t, NULL, child_thread, NULL));
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT(write(fds[1], "c", 1) == 1);
	_exit(number);
}

static void *forker(void *number)
{
	int status, n = *(int *)number;
	pid_t pid = fork();

	EXPECT(pid >= 0);
	if (pid == 0)
		child(n);
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == n);
	return NULL;
}

static void *other(void *unused)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&m);
		sched_yield();
		pthread_mutex_unlock(&m);
	}
	return unused;
}

int main(void)
{
	int number[2] = { 3, 4 }, status;
	pthread_t t[3];
	char byte;

	EXPECT(pipe(fds) == 0);
	EXPECT_CODE(0, pthread_atfork(prepare, after, after));
	pthread_once(&once, routine);
	EXPECT_CODE(0, pthread_create(&t[0], NULL, other, NULL));
	EXPECT_CODE(0, pthread_create(&t[1], NULL, forker, &number[0]));
	EXPECT_CODE(0, pthread_create(&t[2], NULL, forker, &number[1]));
	EXPECT(read(fds[0], &byte, 1) == 1 && read(fds[0], &byte, 1) == 1);
	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(prepared == 2);
	EXPECT_ERRNO(ECHILD, (int)wait(&status));
	EXPECT(system("exit 5") >> 8 == 5);
	return 0;
}
