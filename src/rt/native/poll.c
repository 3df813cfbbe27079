/*
 * poll - who learns that bytes are there learns what happened before they were sent, also
 * when it never reads them: poll, select and their kin receive from every channel found
 * readable. (epoll gives back what the program asked for, not which file: the read that
 * follows receives.) fcntl is here for its copies of a descriptor.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/select.h>

#include "rt/abi/channel.h"

static int polled(const struct pollfd *files, nfds_t count, int result)
{
	if (rt_wire && result > 0)
		for (nfds_t i = 0; i < count; i++)
			if (files[i].revents & (POLLIN | POLLHUP))
				channel_receive(files[i].fd);
	return result;
}

RT_EXPORT int poll(struct pollfd *files, nfds_t count, int timeout)
{
	return polled(files, count, REAL(poll)(files, count, timeout));
}

RT_EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	return polled(files, count, REAL(ppoll)(files, count, timeout, mask));
}

static int selected(int count, const fd_set *readable, int result)
{
	if (rt_wire && result > 0 && readable)
		for (int fd = 0; fd < count; fd++)
			if (FD_ISSET(fd, readable))
				channel_receive(fd);
	return result;
}

RT_EXPORT int select(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict failed,
		     struct timeval *restrict timeout)
{
	return selected(count, readable, REAL(select)(count, readable, writable, failed, timeout));
}

RT_EXPORT int pselect(int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict failed,
		      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	return selected(count, readable, REAL(pselect)(count, readable, writable, failed, timeout, mask));
}

/* Not every command has a third argument; passing one on that was not given harms nobody. */
RT_EXPORT int fcntl(int fd, int command, ...)
{
	va_list list;
	void *argument;
	int result;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);
	result = REAL(fcntl)(fd, command, argument);
	if (rt_wire && result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		channel_copied(fd, result);
	return result;
}

extern int fcntl64(int fd, int command, ...) RT_EXPORT __attribute__((alias("fcntl")));
