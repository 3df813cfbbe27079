/* A thread that takes the signals of the process, as pbzip2 has one; also for SIGTERM from a child. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static sigset_t set;

static void *taker(void *count)
{
	for (int i = 0; i < 2; i++) {
		int sig;

		EXPECT_CODE(0, sigwait(&set, &sig));
		EXPECT(sig == SIGUSR1 || sig == SIGTERM);
		++*(int *)count;
	}
	return NULL;
}

static void *directed(void *unused)
{
	siginfo_t info;

	EXPECT(sigwaitinfo(&set, &info) == SIGUSR1);
	EXPECT(info.si_signo == SIGUSR1 && info.si_value.sival_int == 9);
	return unused;
}

int main(void)
{
	struct timespec soon = { 0, 1000000 };
	int count = 0, status;
	pthread_t t;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	EXPECT_CODE(0, pthread_sigmask(SIG_BLOCK, &set, NULL));
	EXPECT_ERRNO(EAGAIN, sigtimedwait(&set, NULL, &soon));
	EXPECT_CODE(0, pthread_create(&t, NULL, taker, &count));
	EXPECT(kill(getpid(), SIGUSR1) == 0);
	child = fork();
	if (!child) {
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT(waitpid(child, &status, 0) == child && status == 0 && count == 2);
	EXPECT_CODE(0, pthread_create(&t, NULL, directed, NULL));
	EXPECT_CODE(0, pthread_sigqueue(t, SIGUSR1, (union sigval){ .sival_int = 9 }));
	EXPECT_CODE(0, pthread_join(t, NULL));
	return 0;
}
