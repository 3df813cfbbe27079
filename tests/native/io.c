/* Buffers of system calls and streams; what pipes and sockets order. */
#include "spy.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

static char a[64] = "hello world", b[64];

static void by_position(void)
{
	FILE *file = tmpfile();
	char *line = NULL;
	size_t room = 0;

	/* > T0 read a+0 5
	   > T0 write b+0 5
	   > T0 read a+0 12
	   > T0 write b+0 10
	   > T0 write b+0 3 */
	CHECK(pwrite(fileno(file), a, 5, 0), 5);
	CHECK(pread(fileno(file), b, 10, 0), 5);
	CHECK(fputs(a, file) >= 0, 1);
	rewind(file);
	CHECK(fread(b, 5, 3, file), 2);
	rewind(file);
	CHECK(fgets(b, 3, file), b);
	CHECK(getline(&line, &room, file), 9);
	free(line);
	fclose(file);
}

static void by_descriptor(void)
{
	struct iovec out[] = { { a, 2 }, { a + 4, 3 } }, in[] = { { b, 4 }, { b + 8, 10 } };
	int ends[2];

	/* > T0 read a+0 5
	   > T0 write b+0 5
	   > T0 read a+0 2
	   > T0 read a+4 3
	   > T0 write b+0 4
	   > T0 write b+8 1 */
	CHECK(pipe(ends), 0);
	CHECK(write(ends[1], a, 5), 5);
	CHECK(read(ends[0], b, sizeof(b)), 5);
	CHECK(writev(ends[1], out, 2), 5);
	CHECK(readv(ends[0], in, 2), 5);
	close(ends[1]);
	CHECK(read(ends[0], b, 1), 0);
	close(ends[0]);
	CHECK(read(ends[0], b, 1), -1);
	CHECK(errno, EBADF);
}

static void by_socket(void)
{
	struct msghdr message = { 0 };
	struct iovec part = { b, 10 };
	int ends[2], event;
	eventfd_t value;

	/* > T0 read a+0 5
	   > T0 write b+0 5
	   > T0 read a+0 5
	   > T0 write b+0 5 */
	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	CHECK(send(ends[0], a, 5, 0), 5);
	CHECK(recv(ends[1], b, 10, 0), 5);
	CHECK(sendto(ends[1], a, 5, 0, NULL, 0), 5);
	message.msg_iov = &part;
	message.msg_iovlen = 1;
	CHECK(recvmsg(ends[0], &message, 0), 5);
	close(ends[0]);
	close(ends[1]);
	event = eventfd(0, 0);
	CHECK(eventfd_write(event, 3), 0);
	CHECK(eventfd_read(event, &value), 0);
	CHECK(value, 3);
	close(event);
}

int main(void)
{
	NAME(a);
	NAME(b);
	by_position();
	by_descriptor();
	by_socket();
	/* > end */
	return 0;
}
