/* poll, select, epoll over two pipes filled by two threads; timeouts; nothing to watch. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "expect.h"

static int fds[2][2];

static void *fill(void *pipe_fds)
{
	for (int i = 0; i < 3; i++) {
		EXPECT(write(((int *)pipe_fds)[1], "x", 1) == 1);
		usleep(100);
	}
	return NULL;
}

static int by_poll(int timeout)
{
	struct pollfd p[2] = { { .fd = fds[0][0], .events = POLLIN }, { .fd = fds[1][0], .events = POLLIN } };
	int n = poll(p, 2, timeout);

	if (n <= 0)
		return n == 0 ? -1 : -2;
	return p[0].revents & POLLIN ? fds[0][0] : fds[1][0];
}

static int by_ppoll(int timeout)
{
	struct pollfd p[2] = { { .fd = fds[0][0], .events = POLLIN }, { .fd = fds[1][0], .events = POLLIN } };
	struct timespec t = { timeout / 1000, timeout % 1000 * 1000000L };
	sigset_t set;
	int n;

	sigfillset(&set);
	n = ppoll(p, 2, timeout < 0 ? NULL : &t, &set);
	if (n <= 0)
		return n == 0 ? -1 : -2;
	return p[1].revents & POLLIN ? fds[1][0] : fds[0][0];
}

static int by_select(int timeout)
{
	struct timeval t = { timeout / 1000, timeout % 1000 * 1000 };
	fd_set set;
	int n;

	FD_ZERO(&set);
	FD_SET(fds[0][0], &set);
	FD_SET(fds[1][0], &set);
	n = select(fds[1][0] + 1, &set, NULL, NULL, timeout < 0 ? NULL : &t);
	if (n <= 0)
		return n == 0 ? -1 : -2;
	return FD_ISSET(fds[0][0], &set) ? fds[0][0] : fds[1][0];
}

static int by_epoll(int timeout)
{
	struct epoll_event e = { .events = EPOLLIN };
	int ep = epoll_create1(0), n;

	for (int i = 0; i < 2; i++) {
		e.data.fd = fds[i][0];
		EXPECT(epoll_ctl(ep, EPOLL_CTL_ADD, fds[i][0], &e) == 0);
	}
	n = epoll_wait(ep, &e, 1, timeout);
	close(ep);
	if (n <= 0)
		return n == 0 ? -1 : -2;
	return e.data.fd;
}

static void take_all(int (*wait)(int))
{
	pthread_t t[2];
	char byte;

	EXPECT(wait(0) == -1);
	EXPECT(wait(3) == -1);
	for (int i = 0; i < 2; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, fill, fds[i]));
	for (int i = 0; i < 6; i++) {
		int fd = wait(-1);

		EXPECT(fd >= 0 && read(fd, &byte, 1) == 1);
	}
	for (int i = 0; i < 2; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(wait(0) == -1);
}

int main(void)
{
	EXPECT(pipe(fds[0]) == 0 && pipe(fds[1]) == 0);
	take_all(by_poll);
	take_all(by_ppoll);
	take_all(by_select);
	take_all(by_epoll);
	EXPECT(poll(NULL, 0, 2) == 0);
	EXPECT(select(0, NULL, NULL, NULL, &(struct timeval){ 0, 2000 }) == 0);
	EXPECT_ERRNO(EINVAL, select(-1, NULL, NULL, NULL, NULL));
	EXPECT_ERRNO(EBADF, epoll_wait(-1, &(struct epoll_event){ 0 }, 1, 0));
	return 0;
}
