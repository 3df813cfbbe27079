/*
 * fill - calls whose result libc or the kernel writes into a buffer of the program.
 *
 * Told after the call, when it is known whether and how much was written.
 */
#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "rt/abi/range.h"

static int filled(int result, const void *to, size_t size, uintptr_t pc)
{
	if (HEARD && result >= 0)
		range_write(to, size, pc);
	return result;
}

RT_EXPORT int stat(const char *restrict path, struct stat *restrict to)
{
	if (HEARD)
		range_read_string(path, RT_CALLER);
	return filled(REAL(stat)(path, to), to, sizeof(*to), RT_CALLER);
}

RT_EXPORT int lstat(const char *restrict path, struct stat *restrict to)
{
	if (HEARD)
		range_read_string(path, RT_CALLER);
	return filled(REAL(lstat)(path, to), to, sizeof(*to), RT_CALLER);
}

RT_EXPORT int fstat(int fd, struct stat *to)
{
	return filled(REAL(fstat)(fd, to), to, sizeof(*to), RT_CALLER);
}

RT_EXPORT int fstatat(int folder, const char *restrict path, struct stat *restrict to, int flags)
{
	if (HEARD)
		range_read_string(path, RT_CALLER);
	return filled(REAL(fstatat)(folder, path, to, flags), to, sizeof(*to), RT_CALLER);
}

/* On this machine struct stat64 is struct stat. */
_Static_assert(sizeof(struct stat64) == sizeof(struct stat), "one struct stat");
extern int stat64(const char *restrict path, struct stat64 *restrict to) RT_EXPORT __attribute__((alias("stat")));
extern int lstat64(const char *restrict path, struct stat64 *restrict to) RT_EXPORT __attribute__((alias("lstat")));
extern int fstat64(int fd, struct stat64 *to) RT_EXPORT __attribute__((alias("fstat")));
extern int fstatat64(int folder, const char *restrict path, struct stat64 *restrict to, int flags)
	RT_EXPORT __attribute__((alias("fstatat")));

RT_EXPORT char *getcwd(char *to, size_t size)
{
	char *path = REAL(getcwd)(to, size);

	if (HEARD && path)
		range_write(path, range_length(path, SIZE_MAX) + 1, RT_CALLER);
	return path;
}

RT_EXPORT ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
	ssize_t n = REAL(readlink)(path, to, size);

	if (HEARD) {
		range_read_string(path, RT_CALLER);
		range_write(to, n > 0 ? (size_t)n : 0, RT_CALLER);
	}
	return n;
}

RT_EXPORT int uname(struct utsname *to)
{
	return filled(REAL(uname)(to), to, sizeof(*to), RT_CALLER);
}

RT_EXPORT clock_t times(struct tms *to)
{
	clock_t ticks = REAL(times)(to);

	if (HEARD && to)
		range_write(to, sizeof(*to), RT_CALLER);
	return ticks;
}

RT_EXPORT int getrusage(__rusage_who_t who, struct rusage *to)
{
	return filled(REAL(getrusage)(who, to), to, sizeof(*to), RT_CALLER);
}

RT_EXPORT const char *inet_ntop(int family, const void *restrict from, char *restrict to, socklen_t size)
{
	const char *text = REAL(inet_ntop)(family, from, to, size);

	if (HEARD && text) {
		range_read(from, family == AF_INET ? 4 : 16, RT_CALLER);
		range_write(to, range_length(text, SIZE_MAX) + 1, RT_CALLER);
	}
	return text;
}

/* ---- time ---------------------------------------------------------------------------- */

RT_EXPORT struct tm *localtime_r(const time_t *restrict time, struct tm *restrict to)
{
	struct tm *result = REAL(localtime_r)(time, to);

	if (HEARD && result) {
		range_read(time, sizeof(*time), RT_CALLER);
		range_write(to, sizeof(*to), RT_CALLER);
	}
	return result;
}

RT_EXPORT struct tm *gmtime_r(const time_t *restrict time, struct tm *restrict to)
{
	struct tm *result = REAL(gmtime_r)(time, to);

	if (HEARD && result) {
		range_read(time, sizeof(*time), RT_CALLER);
		range_write(to, sizeof(*to), RT_CALLER);
	}
	return result;
}

RT_EXPORT char *asctime_r(const struct tm *restrict time, char *restrict to)
{
	char *text = REAL(asctime_r)(time, to);

	if (HEARD && text) {
		range_read(time, sizeof(*time), RT_CALLER);
		range_write(text, range_length(text, SIZE_MAX) + 1, RT_CALLER);
	}
	return text;
}

RT_EXPORT char *ctime_r(const time_t *restrict time, char *restrict to)
{
	char *text = REAL(ctime_r)(time, to);

	if (HEARD && text) {
		range_read(time, sizeof(*time), RT_CALLER);
		range_write(text, range_length(text, SIZE_MAX) + 1, RT_CALLER);
	}
	return text;
}

RT_EXPORT size_t strftime(char *restrict to, size_t room, const char *restrict format, const struct tm *restrict time)
{
	size_t n = REAL(strftime)(to, room, format, time);

	if (HEARD) {
		range_read(time, sizeof(*time), RT_CALLER);
		range_write(to, n ? n + 1 : 0, RT_CALLER);
	}
	return n;
}

RT_EXPORT time_t mktime(struct tm *time)
{
	if (HEARD)
		range_write(time, sizeof(*time), RT_CALLER);
	return REAL(mktime)(time);
}
