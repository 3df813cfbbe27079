/*
 * file - reading and writing of files: by position (pread), by stream (fread). They order
 * nothing between threads: only the program's buffers count here, not those of the stream.
 */
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rt/abi/range.h"

static ssize_t filled(void *to, ssize_t size, uintptr_t pc)
{
	if (rt_wire && size > 0)
		range_write(to, size, pc);
	return size;
}

RT_EXPORT ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
	return filled(to, REAL(pread)(fd, to, size, offset), RT_CALLER);
}

RT_EXPORT ssize_t pwrite(int fd, const void *from, size_t size, off_t offset)
{
	if (HEARD)
		range_read(from, size, RT_CALLER);
	return REAL(pwrite)(fd, from, size, offset);
}

RT_EXPORT ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
	ssize_t size = REAL(preadv)(fd, parts, count, offset);

	if (HEARD && size > 0)
		range_vector(parts, count, size, ACCESS_WRITE, RT_CALLER);
	return size;
}

RT_EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	if (HEARD)
		range_vector(parts, count, SIZE_MAX, ACCESS_READ, RT_CALLER);
	return REAL(pwritev)(fd, parts, count, offset);
}

extern ssize_t pread64(int fd, void *to, size_t size, off64_t offset)
	RT_EXPORT __attribute__((alias("pread"), copy(pread)));
extern ssize_t pwrite64(int fd, const void *from, size_t size, off64_t offset)
	RT_EXPORT __attribute__((alias("pwrite"), copy(pwrite)));
extern ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t offset)
	RT_EXPORT __attribute__((alias("preadv"), copy(preadv)));
extern ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
	RT_EXPORT __attribute__((alias("pwritev"), copy(pwritev)));

/* ---- streams ---------------------------------------------------------------------------- */

/* Headers define these two as macros. */
#undef fread_unlocked
#undef fwrite_unlocked

/* By bytes, in as many parts as the turn's side allows (natively one). */
static size_t read_stream(char *to, size_t size, FILE *stream, bool unlocked, uintptr_t pc)
{
	size_t done = 0, part, n;

	do {
		part = rt_turn_stream(stream, size - done, pc);
		n = (unlocked ? REAL(fread_unlocked) : REAL(fread))(to + done, 1, part, stream);
		done += n;
	} while (n && n == part && done < size);
	return done;
}

static size_t whole(void *to, size_t bytes, size_t size, uintptr_t pc)
{
	range_write(to, bytes / size * size, pc);
	return bytes / size;
}

static bool is_product(size_t size, size_t count, size_t *bytes)
{
	return size && count && !__builtin_mul_overflow(size, count, bytes);
}

/* A part of an element may have come, too; only whole ones are counted. */
RT_EXPORT size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
	size_t bytes;

	if (HEARD && is_product(size, count, &bytes))
		return whole(to, read_stream(to, bytes, stream, false, RT_CALLER), size, RT_CALLER);
	return REAL(fread)(to, size, count, stream);
}

RT_EXPORT size_t fread_unlocked(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
	size_t bytes;

	if (HEARD && is_product(size, count, &bytes))
		return whole(to, read_stream(to, bytes, stream, true, RT_CALLER), size, RT_CALLER);
	return REAL(fread_unlocked)(to, size, count, stream);
}

RT_EXPORT size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
	if (HEARD)
		range_read(from, size * count, RT_CALLER);
	return REAL(fwrite)(from, size, count, stream);
}

RT_EXPORT size_t fwrite_unlocked(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
	if (HEARD)
		range_read(from, size * count, RT_CALLER);
	return REAL(fwrite_unlocked)(from, size, count, stream);
}

/* Also in parts: a line may come in several writes. A zero byte in it ends the guessing. */
static char *get_line(char *to, size_t size, FILE *stream, uintptr_t pc)
{
	size_t done = 0, part, n;
	char *line = NULL;

	do {
		part = rt_turn_stream(stream, size - 1 - done, pc);
		if (!REAL(fgets)(to + done, (int)part + 1, stream))
			break;
		line = to;
		n = range_length(to + done, part);
		done += n;
	} while (n && to[done - 1] != '\n' && done < size - 1 && part < size - 1);
	return line;
}

RT_EXPORT char *fgets(char *restrict to, int size, FILE *restrict stream)
{
	char *line = HEARD && size > 1 ? get_line(to, (size_t)size, stream, RT_CALLER) : REAL(fgets)(to, size, stream);

	if (HEARD && line)
		range_write(line, range_length(line, SIZE_MAX) + 1, RT_CALLER);
	return line;
}

RT_EXPORT int fputs(const char *restrict s, FILE *restrict stream)
{
	if (HEARD)
		range_read_string(s, RT_CALLER);
	return REAL(fputs)(s, stream);
}

RT_EXPORT int puts(const char *s)
{
	if (HEARD)
		range_read_string(s, RT_CALLER);
	return REAL(puts)(s);
}

static ssize_t got_line(char **line, size_t *room, ssize_t size, uintptr_t pc)
{
	if (HEARD) {
		range_write(line, sizeof(*line), pc);
		range_write(room, sizeof(*room), pc);
		if (size >= 0)
			range_write(*line, size + 1, pc);
	}
	return size;
}

RT_EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream)
{
	if (HEARD)
		rt_turn_stream(stream, 1, RT_CALLER);
	return got_line(line, room, REAL(getdelim)(line, room, end, stream), RT_CALLER);
}

extern ssize_t __getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream)
	RT_EXPORT __attribute__((alias("getdelim"), copy(getdelim)));

RT_EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream)
{
	if (HEARD)
		rt_turn_stream(stream, 1, RT_CALLER);
	return got_line(line, room, REAL(getline)(line, room, stream), RT_CALLER);
}
