/*
 * channel - which order a file descriptor hands over: what is written to a pipe, socket or
 * eventfd happened before the read that got it.
 *
 * A channel is a fake address that both ends share, for rt_on_send and rt_on_receive. Files,
 * terminals and what came from outside have none.
 */
#ifndef ABI_CHANNEL_H
#define ABI_CHANNEL_H

#include "rt/abi/tell.h"

/* NULL: this descriptor orders nothing. Two loads. */
const void *channel_of(int fd);

/* Made by pipe, socketpair or eventfd: only this process and its children have the other end. */
bool channel_is_inner(int fd);

/* Descriptors just made: pipe and socketpair (two), eventfd (second -1), dup (of an old one). */
void channel_made(int first, int second);
void channel_copied(int from, int to);
/* A socket that is now connected: the other end, if in this process, gets the same channel. */
void channel_connected(int fd);
/* About to be closed: those who read to the end shall know. */
void channel_closing(int fd);

static inline void channel_send(int fd)
{
	const void *channel = channel_of(fd);

	if (channel)
		TELL(rt_on_send(channel));
}

static inline void channel_receive(int fd)
{
	const void *channel = channel_of(fd);

	if (channel)
		TELL(rt_on_receive(channel));
}

#endif
