/* Which calls a handler ends, which go on after it (SA_RESTART), and masks set only while waiting. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "expect.h"

static sem_t started, never;
static int fds[2];
static volatile sig_atomic_t ran;

static void handler(int sig)
{
	(void)sig;
	ran++;
}

static void install(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void block(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	EXPECT_CODE(0, pthread_sigmask(SIG_BLOCK, &set, NULL));
}

static void *in_ppoll(void *unused)
{
	struct pollfd p = { .fd = fds[0], .events = POLLIN };
	sigset_t none;

	block();
	sigemptyset(&none);
	sem_post(&started);
	EXPECT_ERRNO(EINTR, ppoll(&p, 1, NULL, &none));
	return unused;
}

static void *in_pselect(void *unused)
{
	sigset_t none;
	fd_set set;

	block();
	sigemptyset(&none);
	FD_ZERO(&set);
	FD_SET(fds[0], &set);
	sem_post(&started);
	EXPECT_ERRNO(EINTR, pselect(fds[0] + 1, &set, NULL, NULL, NULL, &none));
	return unused;
}

static void *in_epoll_pwait(void *unused)
{
	struct epoll_event e = { .events = EPOLLIN };
	int ep = epoll_create1(0);
	sigset_t none;

	EXPECT(epoll_ctl(ep, EPOLL_CTL_ADD, fds[0], &e) == 0);
	block();
	sigemptyset(&none);
	sem_post(&started);
	EXPECT_ERRNO(EINTR, epoll_pwait(ep, &e, 1, -1, &none));
	close(ep);
	return unused;
}

/* These mask nothing, so the signal may come before they wait: it is sent until they return. */
static void *in_select(void *unused)
{
	sem_post(&started);
	EXPECT_ERRNO(EINTR, select(0, NULL, NULL, NULL, NULL));
	return unused;
}

static void *in_poll(void *unused)
{
	sem_post(&started);
	EXPECT_ERRNO(EINTR, poll(NULL, 0, -1));
	return unused;
}

static void *in_restarted_read(void *unused)
{
	char byte;

	sem_post(&started);
	EXPECT(read(fds[0], &byte, 1) == 1);
	return unused;
}

static void *in_restarted_sem(void *unused)
{
	sem_post(&started);
	EXPECT(sem_wait(&never) == 0);
	return unused;
}

static pthread_t start(void *(*function)(void *))
{
	pthread_t t;

	EXPECT_CODE(0, pthread_create(&t, NULL, function, NULL));
	while (sem_wait(&started))
		EXPECT(errno == EINTR);
	return t;
}

static void once(void *(*function)(void *))
{
	pthread_t t = start(function);
	int before = ran;

	EXPECT_CODE(0, pthread_kill(t, SIGUSR1));
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT(ran == before + 1);
}

static void until_it_returns(void *(*function)(void *))
{
	pthread_t t = start(function);

	while (pthread_tryjoin_np(t, NULL) == EBUSY) {
		EXPECT_CODE(0, pthread_kill(t, SIGUSR1));
		usleep(500);
	}
}

int main(void)
{
	pthread_t t;

	EXPECT(pipe(fds) == 0 && sem_init(&started, 0, 0) == 0 && sem_init(&never, 0, 0) == 0);
	install(0);
	once(in_ppoll);
	once(in_pselect);
	once(in_epoll_pwait);
	until_it_returns(in_select);
	until_it_returns(in_poll);
	install(SA_RESTART);
	t = start(in_restarted_read);
	EXPECT_CODE(0, pthread_kill(t, SIGUSR1));
	EXPECT(write(fds[1], "x", 1) == 1);
	EXPECT_CODE(0, pthread_join(t, NULL));
	t = start(in_restarted_sem);
	EXPECT_CODE(0, pthread_kill(t, SIGUSR1));
	EXPECT(sem_post(&never) == 0);
	EXPECT_CODE(0, pthread_join(t, NULL));
	return 0;
}
