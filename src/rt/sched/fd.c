/*
 * fd - the happens-before edge through a file: who writes sends, who reads receives.
 */
#include "rt/abi/tell.h"
#include "rt/sched/io.h"

static const void *name_of(int fd)
{
	return (const void *)(uintptr_t)(fd + 1);
}

void io_send(int fd)
{
	TELL(rt_on_send(name_of(fd)));
}

void io_receive(int fd)
{
	TELL(rt_on_receive(name_of(fd)));
}
