/*
 * descriptor - where pipes, sockets and eventfds come from and go: keeps channel.c's table.
 */
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rt/abi/channel.h"

RT_EXPORT int pipe(int ends[2])
{
	int result = REAL(pipe)(ends);

	if (rt_wire && result == 0)
		channel_made(ends[0], ends[1]);
	return result;
}

RT_EXPORT int pipe2(int ends[2], int flags)
{
	int result = REAL(pipe2)(ends, flags);

	if (rt_wire && result == 0)
		channel_made(ends[0], ends[1]);
	return result;
}

RT_EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
	int result = REAL(socketpair)(domain, type, protocol, ends);

	if (rt_wire && result == 0)
		channel_made(ends[0], ends[1]);
	return result;
}

RT_EXPORT int eventfd(unsigned value, int flags)
{
	int fd = REAL(eventfd)(value, flags);

	if (rt_wire && fd >= 0)
		channel_made(fd, -1);
	return fd;
}

RT_EXPORT int dup(int old)
{
	int fd = REAL(dup)(old);

	if (rt_wire && fd >= 0)
		channel_copied(old, fd);
	return fd;
}

RT_EXPORT int dup2(int old, int wanted)
{
	int fd = REAL(dup2)(old, wanted);

	if (rt_wire && fd >= 0)
		channel_copied(old, fd);
	return fd;
}

RT_EXPORT int dup3(int old, int wanted, int flags)
{
	int fd = REAL(dup3)(old, wanted, flags);

	if (rt_wire && fd >= 0)
		channel_copied(old, fd);
	return fd;
}

RT_EXPORT int close(int fd)
{
	if (rt_wire)
		channel_closing(fd);
	return REAL(close)(fd);
}

RT_EXPORT int shutdown(int fd, int how)
{
	if (rt_wire)
		channel_send(fd);
	return REAL(shutdown)(fd, how);
}
