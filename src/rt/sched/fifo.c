/*
 * fifo - opening a named pipe, which waits for the other end to be opened too.
 *
 * Both ends may be opened by threads of this process, so neither open may block with the
 * turn in its hands; and outside, which of the two gets the lower file number would be a
 * matter of time. So both are opened without waiting: a writer tries until there is a
 * reader (ENXIO until then); a reader has its end at once and waits until it sees a writer:
 * tee looks into a pipe without taking anything and tells "nobody writes" (0) from
 * "nothing yet" (EAGAIN), and poll tells of a writer that has come and gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "rt/sched/io.h"

/* Our own file numbers stay out of the program's way: up here. */
#define HIGH_FD 900

struct reader {
	struct pollfd poll;
	int scratch[2]; /* where tee puts what it sees */
};

static bool is_fifo(int folder, const char *path, int flags)
{
	struct stat status;

	return !(flags & (O_NONBLOCK | O_PATH)) && (flags & O_ACCMODE) != O_RDWR &&
	       !rt_syscall(SYS_newfstatat, folder, path, &status, 0) && S_ISFIFO(status.st_mode);
}

static bool sees_writer(struct sched_thread *thread, void *argument)
{
	struct reader *r = argument;

	(void)thread;
	return rt_syscall(SYS_poll, &r->poll, 1, 0) != 0 ||
	       rt_syscall(SYS_tee, r->poll.fd, r->scratch[1], 1, SPLICE_F_NONBLOCK) != 0;
}

static void scratch_open(int scratch[2])
{
	scratch[0] = scratch[1] = -1;
	if (rt_syscall(SYS_pipe2, scratch, O_CLOEXEC | O_NONBLOCK))
		return;
	for (int i = 0; i < 2; i++) {
		long high = rt_syscall(SYS_fcntl, scratch[i], F_DUPFD_CLOEXEC, HIGH_FD);

		if (high < 0)
			continue; /* so few are allowed: it stays where it is */
		rt_syscall(SYS_close, scratch[i]);
		scratch[i] = (int)high;
	}
}

static int wait_for_writer(int fd, uintptr_t pc)
{
	static const struct sched_world anything;
	struct reader r = { .poll = { .fd = fd, .events = POLLIN } };
	enum sched_wake wake;

	scratch_open(r.scratch);
	wake = sched_wait_world(&anything, io_object(fd), pc, sees_writer, &r, 0, WAIT_CANCEL | WAIT_SIGNAL);
	rt_syscall(SYS_close, r.scratch[0]);
	rt_syscall(SYS_close, r.scratch[1]);
	return wake == WAKE_CANCEL ? ECANCELED : wake == WAKE_SIGNAL ? EINTR : 0;
}

static int open_reader(int folder, const char *path, int flags, uintptr_t pc)
{
	long fd = rt_syscall(SYS_openat, folder, path, flags | O_NONBLOCK, 0);
	int code;

	if (fd < 0)
		return io_fail((int)-fd);
	io_changes++;
	code = wait_for_writer((int)fd, pc);
	if (code)
		rt_syscall(SYS_close, fd);
	if (code == ECANCELED)
		sched_cancel_act();
	if (code)
		return io_fail(code);
	rt_syscall(SYS_fcntl, fd, F_SETFL, flags);
	return (int)fd;
}

static int open_writer(int folder, const char *path, int flags, uintptr_t pc)
{
	uint64_t seen;
	long fd;
	int code;

	for (;;) {
		seen = io_changes;
		fd = rt_syscall(SYS_openat, folder, path, flags | O_NONBLOCK, 0);
		if (fd != -ENXIO)
			break;
		code = io_wait_for_change(seen, 0, pc);
		if (code)
			return io_fail(code);
	}
	if (fd < 0)
		return io_fail((int)-fd);
	rt_syscall(SYS_fcntl, fd, F_SETFL, flags);
	return (int)fd;
}

static int open_fifo(int folder, const char *path, int flags, uintptr_t pc)
{
	sched_step(OP_IO, NULL, pc, NULL, NULL);
	if ((flags & O_ACCMODE) == O_RDONLY)
		return open_reader(folder, path, flags, pc);
	return open_writer(folder, path, flags, pc);
}

#define OPEN_MODE(flags) ({ \
	mode_t open_mode = 0; \
	if ((flags) & (O_CREAT | O_TMPFILE)) { \
		va_list list; \
		va_start(list, flags); \
		open_mode = va_arg(list, mode_t); \
		va_end(list); \
	} \
	open_mode; })

RT_EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode = OPEN_MODE(flags);

	if (!sched_self() || !is_fifo(AT_FDCWD, path, flags))
		return REAL(open)(path, flags, mode);
	return open_fifo(AT_FDCWD, path, flags, RT_CALLER);
}

RT_EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode = OPEN_MODE(flags);

	if (!sched_self() || !is_fifo(AT_FDCWD, path, flags))
		return REAL(open64)(path, flags, mode);
	return open_fifo(AT_FDCWD, path, flags, RT_CALLER);
}

RT_EXPORT int openat(int folder, const char *path, int flags, ...)
{
	mode_t mode = OPEN_MODE(flags);

	if (!sched_self() || !is_fifo(folder, path, flags))
		return REAL(openat)(folder, path, flags, mode);
	return open_fifo(folder, path, flags, RT_CALLER);
}

RT_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
	mode_t mode = OPEN_MODE(flags);

	if (!sched_self() || !is_fifo(folder, path, flags))
		return REAL(openat64)(folder, path, flags, mode);
	return open_fifo(folder, path, flags, RT_CALLER);
}
