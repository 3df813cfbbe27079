/*
 * string - functions that make strings: copy, append, duplicate, cut. Looking is in search.c.
 */
#include <string.h>

#include "rt/abi/range.h"

static void copies(char *to, const char *from, uintptr_t pc)
{
	size_t n = range_read_string(from, pc);

	range_write(to, n + 1, pc);
}

/* strncpy writes all of size, zeros after the end. */
static void copies_padded(char *to, const char *from, size_t size, uintptr_t pc)
{
	range_read_bounded(from, size, pc);
	range_write(to, size, pc);
}

/* The old end is read and overwritten, a new one always written. */
static void appends(char *to, const char *from, size_t max, uintptr_t pc)
{
	size_t at = range_read_string(to, pc);
	size_t n = range_read_bounded(from, max, pc);

	range_write(to + at, n + 1, pc);
}

RT_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
	if (HEARD)
		copies(to, from, RT_CALLER);
	return REAL(strcpy)(to, from);
}

RT_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
	if (HEARD)
		copies(to, from, RT_CALLER);
	return REAL(stpcpy)(to, from);
}

RT_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
	if (HEARD)
		copies_padded(to, from, size, RT_CALLER);
	return REAL(strncpy)(to, from, size);
}

RT_EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t size)
{
	if (HEARD)
		copies_padded(to, from, size, RT_CALLER);
	return REAL(stpncpy)(to, from, size);
}

RT_EXPORT char *strcat(char *restrict to, const char *restrict from)
{
	if (HEARD)
		appends(to, from, SIZE_MAX, RT_CALLER);
	return REAL(strcat)(to, from);
}

RT_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t size)
{
	if (HEARD)
		appends(to, from, size, RT_CALLER);
	return REAL(strncat)(to, from, size);
}

/* The copy is new memory: malloc has told of it, nobody else can know it yet. */
RT_EXPORT char *strdup(const char *s)
{
	if (HEARD)
		range_read_string(s, RT_CALLER);
	return REAL(strdup)(s);
}

RT_EXPORT char *strndup(const char *s, size_t size)
{
	if (HEARD)
		range_read_bounded(s, size, RT_CALLER);
	return REAL(strndup)(s, size);
}

extern char *__strdup(const char *s) RT_EXPORT __attribute__((alias("strdup"), copy(strdup)));
extern char *__strndup(const char *s, size_t size) RT_EXPORT __attribute__((alias("strndup"), copy(strndup)));

/*
 * A token is cut out: read from where it stands up to the byte that ends it, which becomes a
 * zero if it is a separator.
 */
static void cuts(const char *from, const char *token, const char *separators, char **place, uintptr_t pc)
{
	const char *end = token + REAL(strcspn)(token, separators);

	range_read_string(separators, pc);
	range_read(from, (size_t)(end - from) + 1, pc);
	if (*end)
		range_write(end, 1, pc);
	range_write(place, sizeof(*place), pc);
}

RT_EXPORT char *strtok_r(char *restrict s, const char *restrict separators, char **restrict save)
{
	if (HEARD) {
		char *from = s ? s : *save;

		if (!s)
			range_read(save, sizeof(*save), RT_CALLER);
		if (from)
			cuts(from, from + REAL(strspn)(from, separators), separators, save, RT_CALLER);
	}
	return REAL(strtok_r)(s, separators, save);
}

extern char *__strtok_r(char *restrict s, const char *restrict separators, char **restrict save)
	RT_EXPORT __attribute__((alias("strtok_r"), copy(strtok_r)));

RT_EXPORT char *strsep(char **restrict at, const char *restrict separators)
{
	if (HEARD) {
		range_read(at, sizeof(*at), RT_CALLER);
		if (*at)
			cuts(*at, *at, separators, at, RT_CALLER);
	}
	return REAL(strsep)(at, separators);
}

RT_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room);
RT_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room);
RT_EXPORT char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);
RT_EXPORT char *__stpncpy_chk(char *to, const char *from, size_t size, size_t room);
RT_EXPORT char *__strcat_chk(char *to, const char *from, size_t room);
RT_EXPORT char *__strncat_chk(char *to, const char *from, size_t size, size_t room);

/* Fortified: when room is too small libc ends the program, so saying a little more is no lie. */
RT_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room)
{
	if (HEARD)
		copies(to, from, RT_CALLER);
	return REAL(__strcpy_chk)(to, from, room);
}

RT_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room)
{
	if (HEARD)
		copies(to, from, RT_CALLER);
	return REAL(__stpcpy_chk)(to, from, room);
}

RT_EXPORT char *__strncpy_chk(char *to, const char *from, size_t size, size_t room)
{
	if (HEARD)
		copies_padded(to, from, size, RT_CALLER);
	return REAL(__strncpy_chk)(to, from, size, room);
}

RT_EXPORT char *__stpncpy_chk(char *to, const char *from, size_t size, size_t room)
{
	if (HEARD)
		copies_padded(to, from, size, RT_CALLER);
	return REAL(__stpncpy_chk)(to, from, size, room);
}

RT_EXPORT char *__strcat_chk(char *to, const char *from, size_t room)
{
	if (HEARD)
		appends(to, from, SIZE_MAX, RT_CALLER);
	return REAL(__strcat_chk)(to, from, room);
}

RT_EXPORT char *__strncat_chk(char *to, const char *from, size_t size, size_t room)
{
	if (HEARD)
		appends(to, from, size, RT_CALLER);
	return REAL(__strncat_chk)(to, from, size, room);
}
