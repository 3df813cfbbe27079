/* Handlers run on the thread they were sent to, while it waits; who waits gets EINTR. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "expect.h"

static sem_t handled, started, never;
static volatile sig_atomic_t on_self, last_value;
static pthread_t target;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int fds[2];

static void handler(int sig)
{
	(void)sig;
	EXPECT(pthread_equal(pthread_self(), target));
	sem_post(&handled);
}

static void count(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	on_self++;
	last_value = info->si_value.sival_int;
}

static void *in_sem(void *unused)
{
	sem_post(&started);
	EXPECT_ERRNO(EINTR, sem_wait(&never));
	return unused;
}

static void *in_read(void *unused)
{
	char byte;

	sem_post(&started);
	EXPECT_ERRNO(EINTR, (int)read(fds[0], &byte, 1));
	return unused;
}

static void *in_pause(void *unused)
{
	sem_post(&started);
	EXPECT_ERRNO(EINTR, pause());
	return unused;
}

/* No EINTR from a mutex: the handler runs, the wait goes on. */
static void *in_mutex(void *unused)
{
	sem_post(&started);
	EXPECT_CODE(0, pthread_mutex_lock(&m));
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	return unused;
}

static void *suspended(void *unused)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	EXPECT_CODE(0, pthread_sigmask(SIG_BLOCK, &set, NULL));
	sem_post(&started);
	sigemptyset(&set);
	EXPECT_ERRNO(EINTR, sigsuspend(&set));
	return unused;
}

/* Again and again: it may not have reached its wait when the first one came. */
static void interrupt(void *(*function)(void *))
{
	EXPECT_CODE(0, pthread_create(&target, NULL, function, NULL));
	sem_wait(&started);
	while (pthread_tryjoin_np(target, NULL) == EBUSY) {
		EXPECT_CODE(0, pthread_kill(target, SIGUSR1));
		usleep(1000);
	}
	EXPECT(sem_trywait(&handled) == 0);
	while (sem_trywait(&handled) == 0)
		;
}

static void to_self(void)
{
	struct sigaction action = { .sa_sigaction = count, .sa_flags = SA_SIGINFO }, old;
	sigset_t set, pending;

	EXPECT(sigaction(SIGUSR2, &action, NULL) == 0);
	EXPECT(sigaction(SIGUSR2, NULL, &old) == 0 && old.sa_sigaction == count);
	EXPECT(raise(SIGUSR2) == 0 && on_self == 1);
	EXPECT(pthread_kill(pthread_self(), SIGUSR2) == 0 && on_self == 2);
	EXPECT(kill(getpid(), SIGUSR2) == 0 && on_self == 3);
	EXPECT(sigqueue(getpid(), SIGUSR2, (union sigval){ .sival_int = 5 }) == 0 && on_self == 4 && last_value == 5);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	EXPECT(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	EXPECT(raise(SIGUSR2) == 0 && on_self == 4);
	EXPECT(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2));
	EXPECT(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0 && on_self == 5);
	EXPECT_CODE(0, pthread_kill(pthread_self(), 0));
	EXPECT_CODE(EINVAL, pthread_kill(pthread_self(), 1000));
	action.sa_flags |= SA_RESETHAND;
	EXPECT(sigaction(SIGUSR2, &action, NULL) == 0 && raise(SIGUSR2) == 0 && on_self == 6);
	EXPECT(sigaction(SIGUSR2, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
	EXPECT(signal(SIGUSR2, SIG_IGN) == SIG_DFL && raise(SIGUSR2) == 0);
}

/* The kernel's own clock, and no moment in which it could be missed. */
static void alarm_comes(void)
{
	sigset_t set, none;

	EXPECT(signal(SIGALRM, handler) == SIG_DFL);
	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	EXPECT(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	EXPECT(setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 1000 } }, NULL) == 0);
	EXPECT_ERRNO(EINTR, sigsuspend(&none));
	EXPECT(sem_trywait(&handled) == 0);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };

	EXPECT(pipe(fds) == 0);
	sem_init(&handled, 0, 0);
	sem_init(&started, 0, 0);
	sem_init(&never, 0, 0);
	to_self();
	EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
	interrupt(in_sem);
	interrupt(in_read);
	interrupt(in_pause);
	interrupt(suspended);
	pthread_mutex_lock(&m);
	EXPECT_CODE(0, pthread_create(&target, NULL, in_mutex, NULL));
	sem_wait(&started);
	EXPECT_CODE(0, pthread_kill(target, SIGUSR1));
	sem_wait(&handled);
	pthread_mutex_unlock(&m);
	EXPECT_CODE(0, pthread_join(target, NULL));
	target = pthread_self();
	alarm_comes();
	return 0;
}
