/* expect - for the programs of this folder: say what did not hold, then fail. */
#ifndef EXPECT_H
#define EXPECT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPECT(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
		_Exit(1); \
	} } while (0)

/* The call returns this code (pthread style), or -1 with this errno. */
#define EXPECT_CODE(code, call) EXPECT((call) == (code))
#define EXPECT_ERRNO(code, call) do { errno = 0; EXPECT((call) == -1 && errno == (code)); } while (0)

/* A point of time this many milliseconds from now; negative: already past. */
static inline struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;
	long ns;

	clock_gettime(clock, &t);
	ns = t.tv_nsec + ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + (ns < 0 ? -1 : ns / 1000000000);
	t.tv_nsec = ns < 0 ? ns + 1000000000 : ns % 1000000000;
	return t;
}

/* A name nobody else has, "/x1y2z3" (also under --pin, where every trial has the same pid). */
static inline const char *own_name(void)
{
	static char folder[] = "/tmp/deadheat-XXXXXX";
	static int made;

	if (!made++)
		EXPECT(mkdtemp(folder) && rmdir(folder) == 0);
	return folder + sizeof("/tmp") - 1;
}

#endif
