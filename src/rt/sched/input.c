/*
 * input - reading from a stream (stdio) that lies on a pipe, socket or terminal.
 *
 * libc would wait inside, with the stream's lock and the turn, for a writer that may be
 * another thread of ours. So abi/file.c asks here first how much there is: what the stream
 * has in its buffer, and what the kernel has for it. A line whose end has not come is asked
 * for in parts (fgets, fread); getline waits for its beginning only.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "rt/sched/io.h"

/* Files are always ready; strings and cookies have no number. */
static bool may_block(int fd)
{
	struct stat status;

	if (fd < 0 || rt_syscall(SYS_fstat, fd, &status) || S_ISREG(status.st_mode))
		return false;
	return !io_is_nonblocking(fd);
}

size_t rt_turn_stream(void *stream, size_t wanted, uintptr_t pc)
{
	const FILE *file = stream;
	size_t buffered = (size_t)(file->_IO_read_end - file->_IO_read_ptr), more;

	if (!sched_self() || buffered >= wanted || !may_block(file->_fileno))
		return wanted;
	if (!buffered && io_wait(file->_fileno, POLLIN, false, pc))
		return wanted;
	more = io_available(file->_fileno, wanted - buffered);
	channel_receive(file->_fileno);
	return buffered + more ? buffered + more : wanted;
}

/* One byte: what waits is there after io_wait. */
RT_EXPORT int fgetc(FILE *stream)
{
	rt_turn_stream(stream, 1, RT_CALLER);
	return REAL(fgetc)(stream);
}

#undef getc
RT_EXPORT int getc(FILE *stream)
{
	rt_turn_stream(stream, 1, RT_CALLER);
	return REAL(getc)(stream);
}

#undef getchar
RT_EXPORT int getchar(void)
{
	rt_turn_stream(stdin, 1, RT_CALLER);
	return REAL(getchar)();
}
