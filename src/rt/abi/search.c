/*
 * search - functions that only look at strings: length, comparison, search.
 *
 * Comparisons without case fold ASCII letters to find where they end; in an 8-bit locale the
 * real one may go on a little further than was told.
 */
#include <string.h>
#include <strings.h>

#include "rt/abi/range.h"

static int fold(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

/* Up to and with the first difference or the end, max bytes at most. */
static void compares(const char *a, const char *b, size_t max, bool folded, uintptr_t pc)
{
	size_t n = 0;

	while (n < max && a[n] && (a[n] == b[n] || (folded && fold(a[n]) == fold(b[n]))))
		n++;
	if (n < max)
		n++;
	range_read(a, n, pc);
	range_read(b, n, pc);
}

/* From s to the byte found, with it; to the end if none was. */
static void looks(const char *s, const char *found, uintptr_t pc)
{
	if (found)
		range_read(s, (size_t)(found - s) + 1, pc);
	else
		range_read_string(s, pc);
}

RT_EXPORT size_t strlen(const char *s)
{
	if (HEARD) {
		size_t n = REAL(strlen)(s);

		range_read(s, n + 1, RT_CALLER);
	}
	return REAL(strlen)(s);
}

RT_EXPORT size_t strnlen(const char *s, size_t max)
{
	if (HEARD) {
		size_t n = REAL(strnlen)(s, max);

		range_read(s, n < max ? n + 1 : n, RT_CALLER);
	}
	return REAL(strnlen)(s, max);
}

RT_EXPORT int strcmp(const char *a, const char *b)
{
	if (HEARD)
		compares(a, b, SIZE_MAX, false, RT_CALLER);
	return REAL(strcmp)(a, b);
}

RT_EXPORT int strncmp(const char *a, const char *b, size_t size)
{
	if (HEARD)
		compares(a, b, size, false, RT_CALLER);
	return REAL(strncmp)(a, b, size);
}

RT_EXPORT int strcasecmp(const char *a, const char *b)
{
	if (HEARD)
		compares(a, b, SIZE_MAX, true, RT_CALLER);
	return REAL(strcasecmp)(a, b);
}

RT_EXPORT int strncasecmp(const char *a, const char *b, size_t size)
{
	if (HEARD)
		compares(a, b, size, true, RT_CALLER);
	return REAL(strncasecmp)(a, b, size);
}

RT_EXPORT int strcoll(const char *a, const char *b)
{
	if (HEARD) {
		range_read_string(a, RT_CALLER);
		range_read_string(b, RT_CALLER);
	}
	return REAL(strcoll)(a, b);
}

RT_EXPORT char *strchr(const char *s, int c)
{
	if (HEARD) {
		char *found = REAL(strchr)(s, c);

		looks(s, found, RT_CALLER);
	}
	return REAL(strchr)(s, c);
}

RT_EXPORT char *strchrnul(const char *s, int c)
{
	if (HEARD) {
		char *found = REAL(strchrnul)(s, c);

		looks(s, found, RT_CALLER);
	}
	return REAL(strchrnul)(s, c);
}

/* The last one can only be known at the end. */
RT_EXPORT char *strrchr(const char *s, int c)
{
	if (HEARD)
		range_read_string(s, RT_CALLER);
	return REAL(strrchr)(s, c);
}

extern char *index(const char *s, int c) RT_EXPORT __attribute__((alias("strchr"), copy(strchr)));
extern char *rindex(const char *s, int c) RT_EXPORT __attribute__((alias("strrchr"), copy(strrchr)));

/* A needle of n bytes found in the hay: the hay was read to the needle's last byte. */
static void finds(const char *hay, const char *needle, const char *found, uintptr_t pc)
{
	size_t n = range_read_string(needle, pc);

	if (found)
		range_read(hay, (size_t)(found - hay) + n, pc);
	else
		range_read_string(hay, pc);
}

RT_EXPORT char *strstr(const char *hay, const char *needle)
{
	if (HEARD) {
		char *found = REAL(strstr)(hay, needle);

		finds(hay, needle, found, RT_CALLER);
	}
	return REAL(strstr)(hay, needle);
}

RT_EXPORT char *strcasestr(const char *hay, const char *needle)
{
	if (HEARD) {
		char *found = REAL(strcasestr)(hay, needle);

		finds(hay, needle, found, RT_CALLER);
	}
	return REAL(strcasestr)(hay, needle);
}

RT_EXPORT size_t strspn(const char *s, const char *set)
{
	if (HEARD) {
		size_t n = REAL(strspn)(s, set);

		range_read_string(set, RT_CALLER);
		range_read(s, n + 1, RT_CALLER);
	}
	return REAL(strspn)(s, set);
}

RT_EXPORT size_t strcspn(const char *s, const char *set)
{
	if (HEARD) {
		size_t n = REAL(strcspn)(s, set);

		range_read_string(set, RT_CALLER);
		range_read(s, n + 1, RT_CALLER);
	}
	return REAL(strcspn)(s, set);
}

RT_EXPORT char *strpbrk(const char *s, const char *set)
{
	if (HEARD) {
		char *found = REAL(strpbrk)(s, set);

		range_read_string(set, RT_CALLER);
		looks(s, found, RT_CALLER);
	}
	return REAL(strpbrk)(s, set);
}
