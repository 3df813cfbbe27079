/* What pipes, sockets and eventfds order: A, B, ... are the channels as they appear. */
#include "spy.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>

static void pass(int out, int in)
{
	char byte = 'x';

	CHECK(write(out, &byte, 1), 1);
	CHECK(read(in, &byte, 1), 1);
}

static void pipes(void)
{
	char byte;
	int ends[2], other[2], copy, more;
	fd_set readable;

	/* > T0 send A
	   > T0 receive A
	   > T0 send B
	   > T0 receive B */
	CHECK(pipe(ends), 0);
	CHECK(pipe2(other, 0), 0);
	pass(ends[1], ends[0]);
	pass(other[1], other[0]);
	/* A copy is the same channel, and closing one end only sends:
	   > T0 send A
	   > T0 send A
	   > T0 receive A */
	copy = dup(ends[1]);
	CHECK(close(ends[1]), 0);
	pass(copy, ends[0]);
	/* Knowing that it is readable orders as reading does:
	   > T0 send A
	   > T0 receive A
	   > T0 receive A
	   > T0 receive A */
	more = fcntl(copy, F_DUPFD, 0);
	CHECK(write(more, "x", 1), 1);
	CHECK(poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, -1), 1);
	FD_ZERO(&readable);
	FD_SET(ends[0], &readable);
	CHECK(select(ends[0] + 1, &readable, NULL, NULL, NULL), 1);
	CHECK(read(ends[0], &byte, 1), 1);
	/* dup2 onto an end leaves one channel and joins the other. The last to close ends it:
	   > T0 send B
	   > T0 receive B
	   > T0 send A
	   > T0 send A
	   > T0 destroy A */
	CHECK(dup2(other[1], copy), copy);
	pass(copy, other[0]);
	CHECK(close(ends[0]), 0);
	CHECK(close(more), 0);
	/* The end of the file is a message, too:
	   > T0 send B
	   > T0 send B
	   > T0 receive B
	   > T0 send B
	   > T0 destroy B */
	close(other[1]);
	close(copy);
	CHECK(read(other[0], &byte, 1), 0);
	close(other[0]);
}

static void no_channel(void)
{
	FILE *file = tmpfile();
	char byte = 'x';

	CHECK(write(fileno(file), &byte, 1), 1);
	lseek(fileno(file), 0, SEEK_SET);
	CHECK(read(fileno(file), &byte, 1), 1);
	fclose(file);
	CHECK(write(-1, &byte, 1), -1);
	CHECK(close(-1), -1);
}

static void connection(int listener, struct sockaddr *address, socklen_t size)
{
	int client = socket(address->sa_family, SOCK_STREAM, 0), server;

	CHECK(bind(listener, address, size), 0);
	CHECK(listen(listener, 1), 0);
	CHECK(getsockname(listener, address, &size), 0);
	CHECK(connect(client, address, size), 0);
	server = accept(listener, NULL, NULL);
	CHECK(server >= 0, 1);
	pass(client, server);
	pass(server, client);
	close(client);
	close(server);
	close(listener);
}

int main(void)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	struct sockaddr_in internet = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int ends[2], event;

	if (spy_orders)
		spy_orders(true);
	pipes();
	no_channel();
	/* > T0 send C
	   > T0 receive C
	   > T0 send C
	   > T0 send C
	   > T0 destroy C */
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pass(ends[0], ends[1]);
	close(ends[0]);
	close(ends[1]);
	/* > T0 send D
	   > T0 receive D
	   > T0 send D
	   > T0 destroy D */
	event = eventfd(0, 0);
	CHECK(eventfd_write(event, 1), 0);
	CHECK(read(event, &(eventfd_t){ 0 }, sizeof(eventfd_t)), sizeof(eventfd_t));
	close(event);
	/* Connections whose ends are both here:
	   > T0 send E
	   > T0 receive E
	   > T0 send E
	   > T0 receive E
	   > T0 send E
	   > T0 send E
	   > T0 destroy E
	   > T0 send F
	   > T0 receive F
	   > T0 send F
	   > T0 receive F
	   > T0 send F
	   > T0 send F
	   > T0 destroy F
	   > end */
	snprintf(local.sun_path + 1, sizeof(local.sun_path) - 1, "deadheat-test-%d", (int)getpid());
	connection(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&local, sizeof(local));
	connection(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&internet, sizeof(internet));
	return 0;
}
