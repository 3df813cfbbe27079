/*
 * shared - functions of libc that share hidden state between threads.
 *
 * POSIX says who of them must not be called by two threads at once; each call is told as an
 * access to the bytes it returns, or to a stand-in for bytes nobody can see. What this libc
 * locks by itself (rand, stdio) or keeps per thread (strerror) is left out: no harm is done
 * there. The environment: setenv and its kin write `environ`, getenv reads it.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "rt/abi/range.h"

/* ---- time: one struct tm and one text for all ---------------------------------------- */

static void *result_written(const void *result, size_t size, const void *from, size_t from_size, uintptr_t pc)
{
	if (HEARD && result) {
		range_read(from, from_size, pc);
		range_write(result, size, pc);
	}
	return (void *)(uintptr_t)result;
}

RT_EXPORT struct tm *localtime(const time_t *time)
{
	return result_written(REAL(localtime)(time), sizeof(struct tm), time, sizeof(*time), RT_CALLER);
}

RT_EXPORT struct tm *gmtime(const time_t *time)
{
	return result_written(REAL(gmtime)(time), sizeof(struct tm), time, sizeof(*time), RT_CALLER);
}

#define TIME_TEXT 26 /* "Sun Sep 16 01:03:52 1973\n" and its end */

RT_EXPORT char *asctime(const struct tm *time)
{
	return result_written(REAL(asctime)(time), TIME_TEXT, time, sizeof(*time), RT_CALLER);
}

RT_EXPORT char *ctime(const time_t *time)
{
	return result_written(REAL(ctime)(time), TIME_TEXT, time, sizeof(*time), RT_CALLER);
}

/* ---- strtok: where it stands is one place for all ---------------------------------------- */

static char strtok_place;

RT_EXPORT char *strtok(char *restrict s, const char *restrict separators)
{
	char *token;

	if (HEARD)
		range_write(&strtok_place, sizeof(strtok_place), RT_CALLER);
	token = REAL(strtok)(s, separators);
	if (HEARD && token) /* whether its end was a separator, now overwritten, nobody can say */
		range_read(token, range_length(token, SIZE_MAX) + 1, RT_CALLER);
	return token;
}

/* ---- the environment ------------------------------------------------------------------------ */

RT_EXPORT char *getenv(const char *name)
{
	if (HEARD) {
		range_read_string(name, RT_CALLER);
		range_read(&environ, sizeof(environ), RT_CALLER);
	}
	return REAL(getenv)(name);
}

RT_EXPORT int setenv(const char *name, const char *value, int overwrite)
{
	if (HEARD) {
		range_read_string(name, RT_CALLER);
		range_read_string(value, RT_CALLER);
		range_write(&environ, sizeof(environ), RT_CALLER);
	}
	return REAL(setenv)(name, value, overwrite);
}

RT_EXPORT int unsetenv(const char *name)
{
	if (HEARD) {
		range_read_string(name, RT_CALLER);
		range_write(&environ, sizeof(environ), RT_CALLER);
	}
	return REAL(unsetenv)(name);
}

RT_EXPORT int putenv(char *text)
{
	if (HEARD) {
		range_read_string(text, RT_CALLER);
		range_write(&environ, sizeof(environ), RT_CALLER);
	}
	return REAL(putenv)(text);
}

RT_EXPORT int clearenv(void)
{
	if (HEARD)
		range_write(&environ, sizeof(environ), RT_CALLER);
	return REAL(clearenv)();
}
