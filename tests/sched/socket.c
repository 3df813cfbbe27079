/* Sockets: pairs, large messages both ways, a server with accept and connect, timeouts. */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "expect.h"

#define LARGE (600 * 1024)

static char bytes[LARGE];
static int listener, pair[2];

static void *send_large(void *fd)
{
	struct iovec parts[2] = { { bytes, 1000 }, { bytes + 1000, LARGE - 1000 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	EXPECT(send(*(int *)fd, bytes, LARGE, 0) == LARGE);
	EXPECT(sendmsg(*(int *)fd, &message, 0) == LARGE);
	EXPECT(write(*(int *)fd, bytes, LARGE) == LARGE);
	EXPECT(shutdown(*(int *)fd, SHUT_WR) == 0);
	return NULL;
}

static void *serve(void *unused)
{
	for (int i = 0; i < 2; i++) {
		int fd = accept(listener, NULL, NULL);
		char word[8] = "";

		EXPECT(fd >= 0);
		EXPECT(recv(fd, word, 5, MSG_WAITALL) == 5 && !strcmp(word, "hello"));
		EXPECT(send(fd, "there", 5, 0) == 5);
		close(fd);
	}
	return unused;
}

static void *call(void *address)
{
	int fd = socket(((struct sockaddr *)address)->sa_family, SOCK_STREAM, 0);
	char word[8] = "";
	socklen_t size = ((struct sockaddr *)address)->sa_family == AF_UNIX ? sizeof(struct sockaddr_un)
									    : sizeof(struct sockaddr_in);

	EXPECT(fd >= 0 && connect(fd, address, size) == 0);
	EXPECT(write(fd, "he", 2) == 2 && write(fd, "llo", 3) == 3);
	EXPECT(recvfrom(fd, word, 5, MSG_WAITALL, NULL, NULL) == 5 && !strcmp(word, "there"));
	close(fd);
	return NULL;
}

static void server(struct sockaddr *address, socklen_t size)
{
	pthread_t t[3];

	listener = socket(address->sa_family, SOCK_STREAM, 0);
	EXPECT(listener >= 0 && bind(listener, address, size) == 0 && listen(listener, 1) == 0);
	EXPECT(getsockname(listener, address, &size) == 0);
	EXPECT_CODE(0, pthread_create(&t[0], NULL, call, address));
	EXPECT_CODE(0, pthread_create(&t[1], NULL, call, address));
	EXPECT_CODE(0, pthread_create(&t[2], NULL, serve, NULL));
	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	close(listener);
}

static void *datagrams(void *unused)
{
	struct iovec part[2] = { { "a", 1 }, { "bc", 2 } };
	struct mmsghdr m[2] = { { .msg_hdr = { .msg_iov = &part[0], .msg_iovlen = 1 } },
				{ .msg_hdr = { .msg_iov = &part[1], .msg_iovlen = 1 } } };

	EXPECT(sendmmsg(pair[0], m, 2, 0) == 2);
	for (int i = 0; i < 40; i++)
		EXPECT(send(pair[0], &i, sizeof(i), 0) == sizeof(i));
	return unused;
}

static void messages(void)
{
	char word[2][8];
	struct iovec part[2] = { { word[0], 8 }, { word[1], 8 } };
	struct mmsghdr m[2] = { { .msg_hdr = { .msg_iov = &part[0], .msg_iovlen = 1 } },
				{ .msg_hdr = { .msg_iov = &part[1], .msg_iovlen = 1 } } };
	pthread_t t;
	int got;

	EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, datagrams, NULL));
	EXPECT(recvmmsg(pair[1], m, 2, 0, NULL) == 2 && m[0].msg_len == 1 && m[1].msg_len == 2);
	for (int i = 0; i < 40; i++)
		EXPECT(recv(pair[1], &got, sizeof(got), 0) == sizeof(got) && got == i);
	EXPECT_CODE(0, pthread_join(t, NULL));
	close(pair[0]);
	close(pair[1]);
}

static void large(void)
{
	static char got[LARGE];
	size_t total = 0;
	pthread_t t;
	ssize_t n;

	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, send_large, &pair[0]));
	while ((n = recv(pair[1], got, sizeof(got), 0)) > 0)
		total += (size_t)n;
	EXPECT(n == 0 && total == 3 * (size_t)LARGE);
	EXPECT_CODE(0, pthread_join(t, NULL));
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	struct sockaddr_in internet = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	struct timeval soon = { 0, 20000 };
	char byte;

	large();
	messages();
	snprintf(local.sun_path + 1, sizeof(local.sun_path) - 1, "%s", own_name());
	server((struct sockaddr *)&local, sizeof(local));
	server((struct sockaddr *)&internet, sizeof(internet));
	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	EXPECT_ERRNO(EAGAIN, (int)recv(pair[0], &byte, 1, MSG_DONTWAIT));
	EXPECT(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)) == 0);
	EXPECT_ERRNO(EAGAIN, (int)recv(pair[0], &byte, 1, 0));
	EXPECT_ERRNO(ENOTSOCK, (int)recv(0, &byte, 1, 0));
	return 0;
}
