/*
 * io - read, write and their kin on pipes, terminals, files, eventfds.
 *
 * A large write into a pipe would block half-way with the turn in its hands, so it is made
 * in pieces of PIPE_BUF, which poll promises to fit; what POSIX says is one piece (at most
 * PIPE_BUF bytes) stays one.
 */
#include <errno.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/sched/io.h"

/* Ready, and the program's bytes may be written: 0, or -1 with errno. */
static int read_begin(int fd, uintptr_t pc)
{
	int code = io_wait(fd, POLLIN, false, pc);

	return code ? io_fail(code) : 0;
}

/*
 * Held before the bytes, it may find that somebody else has read them: then it waits again. While they are there it
 * goes on, whoever ran meanwhile: announced once more, a site of the pair would be held once more, for ever.
 * -1, or how much to read.
 */
static ssize_t read_into(int fd, const struct iovec *vector, int count, size_t size, uintptr_t pc)
{
	size_t available, left;

	do {
		if (read_begin(fd, pc))
			return -1;
		available = io_available(fd, size);
		io_touch_vector(vector, count, available, ACCESS_WRITE, pc);
	} while (!io_is_ready(fd, POLLIN));
	left = io_available(fd, size);
	available = io_agree(fd, left < available ? left : available);
	return (ssize_t)(available ? available : size);
}

static ssize_t read_done(int fd, ssize_t result)
{
	if (result > 0)
		channel_receive(fd);
	return result;
}

RT_EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
	struct iovec vector = { bytes, size };
	ssize_t now;

	if (!sched_self())
		return REAL(read)(fd, bytes, size);
	now = read_into(fd, &vector, 1, size, RT_CALLER);
	return now < 0 ? -1 : read_done(fd, REAL(read)(fd, bytes, (size_t)now));
}

static size_t total(const struct iovec *vector, int count)
{
	size_t size = 0;

	for (int i = 0; i < count; i++)
		size += vector[i].iov_len;
	return size;
}

RT_EXPORT ssize_t readv(int fd, const struct iovec *vector, int count)
{
	if (!sched_self())
		return REAL(readv)(fd, vector, count);
	if (read_into(fd, vector, count, total(vector, count), RT_CALLER) < 0)
		return -1;
	return read_done(fd, REAL(readv)(fd, vector, count));
}

/* ---- writing ------------------------------------------------------------------------------- */

enum sink { SINK_PLAIN, SINK_PIPE, SINK_SOCKET };

static enum sink sink_of(int fd)
{
	struct stat status;

	if (rt_syscall(SYS_fstat, fd, &status))
		return SINK_PLAIN;
	return S_ISFIFO(status.st_mode) ? SINK_PIPE : S_ISSOCK(status.st_mode) ? SINK_SOCKET : SINK_PLAIN;
}

static ssize_t write_piece(int fd, enum sink sink, const char *bytes, size_t size)
{
	if (sink == SINK_SOCKET)
		return REAL(send)(fd, bytes, size, MSG_DONTWAIT);
	return REAL(write)(fd, bytes, sink == SINK_PIPE && size > PIPE_BUF ? PIPE_BUF : size);
}

/* All of it, as a blocking write does; a short count only after a handler or an error. */
static ssize_t write_all(int fd, enum sink sink, const char *bytes, size_t size, uintptr_t pc)
{
	size_t done = 0;

	do {
		int code = io_wait(fd, POLLOUT, false, pc);
		ssize_t n;

		if (code)
			return done ? (ssize_t)done : io_fail(code);
		n = write_piece(fd, sink, bytes + done, size - done);
		if (n < 0 && errno == EAGAIN && sink == SINK_SOCKET)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -1;
		done += (size_t)n;
	} while (done < size);
	return (ssize_t)done;
}

static ssize_t write_now(int fd, const char *bytes, size_t size, uintptr_t pc)
{
	if (io_is_nonblocking(fd)) {
		io_wait(fd, POLLOUT, true, pc);
		return REAL(write)(fd, bytes, size);
	}
	return write_all(fd, sink_of(fd), bytes, size, pc);
}

RT_EXPORT ssize_t write(int fd, const void *bytes, size_t size)
{
	if (!sched_self())
		return REAL(write)(fd, bytes, size);
	io_touch(bytes, size, ACCESS_READ, RT_CALLER);
	channel_send(fd);
	return write_now(fd, bytes, size, RT_CALLER);
}

static ssize_t write_parts(int fd, const struct iovec *vector, int count, uintptr_t pc)
{
	ssize_t done = 0;

	for (int i = 0; i < count; i++) {
		ssize_t n = write_now(fd, vector[i].iov_base, vector[i].iov_len, pc);

		if (n < 0)
			return done ? done : -1;
		done += n;
		if ((size_t)n < vector[i].iov_len)
			break;
	}
	return done;
}

RT_EXPORT ssize_t writev(int fd, const struct iovec *vector, int count)
{
	uintptr_t pc = RT_CALLER;
	size_t size;
	int code;

	if (!sched_self())
		return REAL(writev)(fd, vector, count);
	size = total(vector, count);
	io_touch_vector(vector, count, size, ACCESS_READ, pc);
	channel_send(fd);
	if (size > PIPE_BUF && !io_is_nonblocking(fd) && sink_of(fd) != SINK_PLAIN)
		return write_parts(fd, vector, count, pc);
	code = io_wait(fd, POLLOUT, false, pc);
	return code ? io_fail(code) : REAL(writev)(fd, vector, count);
}

/* ---- eventfd ----------------------------------------------------------------------------------- */

RT_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	int code;

	if (!sched_self())
		return REAL(eventfd_read)(fd, value);
	code = io_wait(fd, POLLIN, false, RT_CALLER);
	if (code)
		return io_fail(code);
	code = REAL(eventfd_read)(fd, value);
	if (!code)
		channel_receive(fd);
	return code;
}

RT_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	int code;

	if (!sched_self())
		return REAL(eventfd_write)(fd, value);
	channel_send(fd);
	code = io_wait(fd, POLLOUT, false, RT_CALLER);
	return code ? io_fail(code) : REAL(eventfd_write)(fd, value);
}
