/*
 * socket - calls on sockets: recv, send, accept, connect and their kin.
 *
 * Everything is tried with MSG_DONTWAIT when poll says it can go, and looked at again when
 * the kernel disagrees. connect is made non-blocking for the moment of the call: a listener
 * of this very process may have to accept first.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "rt/sched/io.h"

/* Again after EAGAIN that poll did not foresee? */
static bool again(int fd, int flags, ssize_t result)
{
	return result < 0 && errno == EAGAIN && !(flags & MSG_DONTWAIT) && !io_is_nonblocking(fd);
}

/* Wait for data and for our turn on the bytes it will fill; again if they are gone by then (read_into, io.c). */
static int receive_begin(int fd, int flags, const struct iovec *vector, size_t count, size_t size, uintptr_t pc)
{
	short events = flags & MSG_ERRQUEUE ? POLLERR : POLLIN;
	int code;

	do {
		code = io_wait(fd, events, flags & MSG_DONTWAIT, pc);
		if (code)
			return io_fail(code);
		io_touch_vector(vector, (int)count, io_available(fd, size), ACCESS_WRITE, pc);
	} while (!(flags & MSG_DONTWAIT) && !io_is_ready(fd, events));
	return 0;
}

static ssize_t receive_once(int fd, void *bytes, size_t size, int flags, struct sockaddr *from, socklen_t *length,
			    uintptr_t pc)
{
	struct iovec vector = { bytes, size };
	size_t now;
	ssize_t n;

	do {
		if (receive_begin(fd, flags, &vector, 1, size, pc))
			return -1;
		now = io_agree(fd, io_available(fd, size));
		n = REAL(recvfrom)(fd, bytes, now ? now : size, (flags & ~MSG_WAITALL) | MSG_DONTWAIT, from, length);
	} while (again(fd, flags, n));
	if (n > 0)
		channel_receive(fd);
	return n;
}

static ssize_t receive(int fd, void *bytes, size_t size, int flags, struct sockaddr *from, socklen_t *length,
		       uintptr_t pc)
{
	ssize_t done = receive_once(fd, bytes, size, flags, from, length, pc);

	while ((flags & MSG_WAITALL) && !(flags & (MSG_PEEK | MSG_DONTWAIT)) && done > 0 && (size_t)done < size) {
		ssize_t n = receive_once(fd, (char *)bytes + done, size - (size_t)done, flags, from, length, pc);

		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

RT_EXPORT ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
	if (!sched_self())
		return REAL(recv)(fd, bytes, size, flags);
	return receive(fd, bytes, size, flags, NULL, NULL, RT_CALLER);
}

RT_EXPORT ssize_t recvfrom(int fd, void *restrict bytes, size_t size, int flags, struct sockaddr *restrict from,
			   socklen_t *restrict length)
{
	if (!sched_self())
		return REAL(recvfrom)(fd, bytes, size, flags, from, length);
	return receive(fd, bytes, size, flags, from, length, RT_CALLER);
}

static size_t message_size(const struct msghdr *message)
{
	size_t size = 0;

	for (size_t i = 0; i < message->msg_iovlen; i++)
		size += message->msg_iov[i].iov_len;
	return size;
}

static ssize_t receive_message(int fd, struct msghdr *message, int flags, uintptr_t pc)
{
	const struct msghdr asked = *message;
	ssize_t n;

	do {
		*message = asked;
		if (receive_begin(fd, flags, message->msg_iov, message->msg_iovlen, message_size(message), pc))
			return -1;
		n = REAL(recvmsg)(fd, message, (flags & ~MSG_WAITALL) | MSG_DONTWAIT);
	} while (again(fd, flags, n));
	if (n >= 0)
		channel_receive(fd);
	return n;
}

RT_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	if (!sched_self())
		return REAL(recvmsg)(fd, message, flags);
	return receive_message(fd, message, flags, RT_CALLER);
}

/* The kernel looks at the timeout only after each message; so may we, and leave it out. */
RT_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	uintptr_t pc = RT_CALLER;
	unsigned done;

	if (!sched_self())
		return REAL(recvmmsg)(fd, messages, count, flags, timeout);
	for (done = 0; done < count; done++) {
		int more = done && (flags & MSG_WAITFORONE) ? MSG_DONTWAIT : 0;
		ssize_t n = receive_message(fd, &messages[done].msg_hdr, (flags & ~MSG_WAITFORONE) | more, pc);

		if (n < 0)
			return done ? (int)done : -1;
		messages[done].msg_len = (unsigned)n;
	}
	return (int)done;
}

/* ---- sending ------------------------------------------------------------------------------- */

static ssize_t send_all(int fd, const char *bytes, size_t size, int flags, const struct sockaddr *to,
			socklen_t length, uintptr_t pc)
{
	size_t done = 0;

	do {
		int code = io_wait(fd, POLLOUT, flags & MSG_DONTWAIT, pc);
		ssize_t n;

		if (code)
			return done ? (ssize_t)done : io_fail(code);
		n = REAL(sendto)(fd, bytes + done, size - done, flags | MSG_DONTWAIT, to, length);
		if (again(fd, flags, n))
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -1;
		done += (size_t)n;
	} while (done < size && !(flags & MSG_DONTWAIT) && !io_is_nonblocking(fd));
	return (ssize_t)done;
}

RT_EXPORT ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	if (!sched_self())
		return REAL(send)(fd, bytes, size, flags);
	io_touch(bytes, size, ACCESS_READ, RT_CALLER);
	channel_send(fd);
	return send_all(fd, bytes, size, flags, NULL, 0, RT_CALLER);
}

RT_EXPORT ssize_t sendto(int fd, const void *bytes, size_t size, int flags, const struct sockaddr *to,
			 socklen_t length)
{
	if (!sched_self())
		return REAL(sendto)(fd, bytes, size, flags, to, length);
	io_touch(bytes, size, ACCESS_READ, RT_CALLER);
	channel_send(fd);
	return send_all(fd, bytes, size, flags, to, length, RT_CALLER);
}

/* What a first sendmsg left over, piece by piece. */
static ssize_t send_rest(int fd, const struct msghdr *message, size_t skip, int flags, uintptr_t pc)
{
	size_t done = skip;

	for (size_t i = 0; i < message->msg_iovlen; i++) {
		const struct iovec *part = &message->msg_iov[i];
		ssize_t n;

		if (skip >= part->iov_len) {
			skip -= part->iov_len;
			continue;
		}
		n = send_all(fd, (const char *)part->iov_base + skip, part->iov_len - skip, flags, NULL, 0, pc);
		if (n < 0)
			break;
		done += (size_t)n;
		skip = 0;
	}
	return (ssize_t)done;
}

static ssize_t send_message(int fd, const struct msghdr *message, int flags, uintptr_t pc)
{
	size_t size = message_size(message);
	ssize_t n;

	io_touch_vector(message->msg_iov, (int)message->msg_iovlen, size, ACCESS_READ, pc);
	channel_send(fd);
	do {
		int code = io_wait(fd, POLLOUT, flags & MSG_DONTWAIT, pc);

		if (code)
			return io_fail(code);
		n = REAL(sendmsg)(fd, message, flags | MSG_DONTWAIT);
	} while (again(fd, flags, n));
	if (n < 0 || (size_t)n == size || (flags & MSG_DONTWAIT) || io_is_nonblocking(fd))
		return n;
	return send_rest(fd, message, (size_t)n, flags, pc);
}

RT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (!sched_self())
		return REAL(sendmsg)(fd, message, flags);
	return send_message(fd, message, flags, RT_CALLER);
}

RT_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	uintptr_t pc = RT_CALLER;
	unsigned done;

	if (!sched_self())
		return REAL(sendmmsg)(fd, messages, count, flags);
	for (done = 0; done < count; done++) {
		ssize_t n = send_message(fd, &messages[done].msg_hdr, flags, pc);

		if (n < 0)
			return done ? (int)done : -1;
		messages[done].msg_len = (unsigned)n;
	}
	return (int)done;
}

/* ---- connections ---------------------------------------------------------------------------- */

RT_EXPORT int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict length, int flags)
{
	int code, result;

	if (!sched_self())
		return REAL(accept4)(fd, from, length, flags);
	code = io_wait(fd, POLLIN, false, RT_CALLER);
	if (code)
		return io_fail(code);
	result = REAL(accept4)(fd, from, length, flags);
	if (result >= 0)
		channel_connected(result);
	return result;
}

RT_EXPORT int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict length)
{
	int code, result;

	if (!sched_self())
		return REAL(accept)(fd, from, length);
	code = io_wait(fd, POLLIN, false, RT_CALLER);
	if (code)
		return io_fail(code);
	result = REAL(accept)(fd, from, length);
	if (result >= 0)
		channel_connected(result);
	return result;
}

/* One try that cannot block. The flag is back before anybody else runs. */
static int connect_once(int fd, const struct sockaddr *to, socklen_t length)
{
	long flags = rt_syscall(SYS_fcntl, fd, F_GETFL);
	int result, code;

	rt_syscall(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	result = REAL(connect)(fd, to, length);
	code = errno;
	rt_syscall(SYS_fcntl, fd, F_SETFL, flags);
	return result ? code : 0;
}

static int connect_end(int fd, uintptr_t pc)
{
	int code = io_wait_until(fd, POLLOUT, 0, pc), failure = 0;
	socklen_t size = sizeof(failure);

	if (code)
		return code;
	rt_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &failure, &size);
	return failure;
}

static int connected(int fd, int code)
{
	if (code)
		return io_fail(code);
	channel_connected(fd);
	return 0;
}

RT_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t length)
{
	uintptr_t pc = RT_CALLER;
	int code;

	if (!sched_self())
		return REAL(connect)(fd, to, length);
	code = io_wait(fd, POLLOUT, true, pc);
	if (io_is_nonblocking(fd))
		return connected(fd, REAL(connect)(fd, to, length) ? errno : 0);
	/* EAGAIN: the listener's queue is full (local sockets); there is nothing to poll for. */
	while (!code && (code = connect_once(fd, to, length)) == EAGAIN)
		code = io_wait(fd, POLLOUT, true, pc);
	if (code == EINPROGRESS)
		code = connect_end(fd, pc);
	return connected(fd, code);
}
