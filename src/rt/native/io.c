/*
 * io - calls on descriptors that fill or empty the program's buffers, and may block: a ranged
 * access and, on pipes, sockets and eventfds, an order (channel.h).
 *
 *     out: the bytes are read, the channel sends, then the call
 *     in:  the call, then the channel receives, the bytes are written (as many as came)
 *
 * A failed send has sent nothing but the right to be ordered, which harms nobody.
 */
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rt/abi/channel.h"
#include "rt/abi/range.h"

/* ---- in ------------------------------------------------------------------------------ */

static void got(int fd, void *to, ssize_t size, uintptr_t pc)
{
	if (size < 0)
		return;
	channel_receive(fd);
	range_write(to, size, pc);
}

static void got_vector(int fd, const struct iovec *parts, size_t count, ssize_t size, uintptr_t pc)
{
	if (size < 0)
		return;
	channel_receive(fd);
	range_vector(parts, count, size, ACCESS_WRITE, pc);
}

#define IN(name, arguments, report) \
	ssize_t result; \
	if (!rt_wire) \
		return REAL(name) arguments; \
	result = REAL(name) arguments; \
	report; \
	return result

RT_EXPORT ssize_t read(int fd, void *to, size_t size)
{
	IN(read, (fd, to, size), got(fd, to, result, RT_CALLER));
}

RT_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
	IN(readv, (fd, parts, count), got_vector(fd, parts, count, result, RT_CALLER));
}

RT_EXPORT ssize_t recv(int fd, void *to, size_t size, int flags)
{
	IN(recv, (fd, to, size, flags), got(fd, to, result, RT_CALLER));
}

RT_EXPORT ssize_t recvfrom(int fd, void *restrict to, size_t size, int flags, struct sockaddr *restrict from,
		      socklen_t *restrict from_size)
{
	IN(recvfrom, (fd, to, size, flags, from, from_size), got(fd, to, result, RT_CALLER));
}

RT_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	IN(recvmsg, (fd, message, flags),
	   got_vector(fd, message->msg_iov, message->msg_iovlen, result, RT_CALLER));
}


/* ---- out -------------------------------------------------------------------------------- */

static void gives(int fd, const void *from, size_t size, uintptr_t pc)
{
	range_read(from, size, pc);
	channel_send(fd);
}

static void gives_vector(int fd, const struct iovec *parts, size_t count, uintptr_t pc)
{
	range_vector(parts, count, SIZE_MAX, ACCESS_READ, pc);
	channel_send(fd);
}

#define OUT(name, arguments, report) \
	ssize_t result; \
	if (!rt_wire) \
		return REAL(name) arguments; \
	report; \
	result = REAL(name) arguments; \
	return result

RT_EXPORT ssize_t write(int fd, const void *from, size_t size)
{
	OUT(write, (fd, from, size), gives(fd, from, size, RT_CALLER));
}

RT_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	OUT(writev, (fd, parts, count), gives_vector(fd, parts, count, RT_CALLER));
}

RT_EXPORT ssize_t send(int fd, const void *from, size_t size, int flags)
{
	OUT(send, (fd, from, size, flags), gives(fd, from, size, RT_CALLER));
}

RT_EXPORT ssize_t sendto(int fd, const void *from, size_t size, int flags, const struct sockaddr *to,
		    socklen_t to_size)
{
	OUT(sendto, (fd, from, size, flags, to, to_size), gives(fd, from, size, RT_CALLER));
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	OUT(sendmsg, (fd, message, flags), gives_vector(fd, message->msg_iov, message->msg_iovlen, RT_CALLER));
}


/* ---- many messages, event counters, connections ------------------------------------------ */

RT_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	int result = REAL(recvmmsg)(fd, messages, count, flags, timeout);

	if (rt_wire)
		for (int i = 0; i < result; i++)
			got_vector(fd, messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen,
				   messages[i].msg_len, RT_CALLER);
	return result;
}

RT_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	if (rt_wire)
		for (unsigned i = 0; i < count; i++)
			gives_vector(fd, messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen, RT_CALLER);
	return REAL(sendmmsg)(fd, messages, count, flags);
}

RT_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	int result = REAL(eventfd_read)(fd, value);

	if (rt_wire && result == 0)
		got(fd, value, sizeof(*value), RT_CALLER);
	return result;
}

RT_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	if (rt_wire)
		channel_send(fd);
	return REAL(eventfd_write)(fd, value);
}

/* Both ends learn the name of their connection here. */
RT_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	int result = REAL(connect)(fd, to, size);

	if (rt_wire && result == 0)
		channel_connected(fd);
	return result;
}

RT_EXPORT int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict size)
{
	int end = REAL(accept)(fd, from, size);

	if (rt_wire && end >= 0)
		channel_connected(end);
	return end;
}

RT_EXPORT int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
	int end = REAL(accept4)(fd, from, size, flags);

	if (rt_wire && end >= 0)
		channel_connected(end);
	return end;
}
