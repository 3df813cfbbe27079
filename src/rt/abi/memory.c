/*
 * memory - memcpy and its kin as ranged accesses (range.h).
 */
#include <string.h>
#include <strings.h>

#include "rt/abi/range.h"

/* Bytes memcmp must look at: up to and with the first that differs. */
static size_t compared(const void *a, const void *b, size_t size)
{
	const char *x = a, *y = b;
	size_t n = REAL(memcmp)(a, b, size) ? 0 : size;

	while (n < size && x[n] == y[n])
		n++;
	return n < size ? n + 1 : n;
}

static void copied(void *to, const void *from, size_t size, uintptr_t pc)
{
	range_read(from, size, pc);
	range_write(to, size, pc);
}

/* Not inlined: gcc takes an address that is told for a read of what explicit_bzero only writes. */
static RT_NOINLINE void sets(void *to, size_t size, uintptr_t pc)
{
	range_write(to, size, pc);
}

static void compares(const void *a, const void *b, size_t size, uintptr_t pc)
{
	size_t n = compared(a, b, size);

	range_read(a, n, pc);
	range_read(b, n, pc);
}

RT_EXPORT void *memcpy(void *to, const void *from, size_t size)
{
	if (HEARD)
		copied(to, from, size, RT_CALLER);
	return REAL(memcpy)(to, from, size);
}

RT_EXPORT void *mempcpy(void *to, const void *from, size_t size)
{
	if (HEARD)
		copied(to, from, size, RT_CALLER);
	return REAL(mempcpy)(to, from, size);
}

RT_EXPORT void *memmove(void *to, const void *from, size_t size)
{
	if (HEARD)
		copied(to, from, size, RT_CALLER);
	return REAL(memmove)(to, from, size);
}

RT_EXPORT void bcopy(const void *from, void *to, size_t size)
{
	if (HEARD)
		copied(to, from, size, RT_CALLER);
	REAL(bcopy)(from, to, size);
}

RT_EXPORT void *memset(void *to, int byte, size_t size)
{
	if (HEARD)
		range_write(to, size, RT_CALLER);
	return REAL(memset)(to, byte, size);
}

RT_EXPORT void bzero(void *to, size_t size)
{
	if (HEARD)
		range_write(to, size, RT_CALLER);
	REAL(bzero)(to, size);
}

RT_EXPORT void explicit_bzero(void *to, size_t size)
{
	if (HEARD)
		sets(to, size, RT_CALLER);
	REAL(explicit_bzero)(to, size);
}

RT_EXPORT int memcmp(const void *a, const void *b, size_t size)
{
	if (HEARD)
		compares(a, b, size, RT_CALLER);
	return REAL(memcmp)(a, b, size);
}

RT_EXPORT int bcmp(const void *a, const void *b, size_t size)
{
	if (HEARD)
		compares(a, b, size, RT_CALLER);
	return REAL(bcmp)(a, b, size);
}

/* memchr and memccpy stop at the byte they look for. */
static size_t searched(const void *in, int byte, size_t size)
{
	const unsigned char *s = in;
	size_t n = 0;

	while (n < size && s[n] != (unsigned char)byte)
		n++;
	return n < size ? n + 1 : n;
}

RT_EXPORT void *memchr(const void *in, int byte, size_t size)
{
	if (HEARD)
		range_read(in, searched(in, byte, size), RT_CALLER);
	return REAL(memchr)(in, byte, size);
}

RT_EXPORT void *rawmemchr(const void *in, int byte)
{
	if (HEARD)
		range_read(in, searched(in, byte, SIZE_MAX), RT_CALLER);
	return REAL(rawmemchr)(in, byte);
}

RT_EXPORT void *memrchr(const void *in, int byte, size_t size)
{
	const unsigned char *s = in;
	size_t first = size;

	if (HEARD) {
		while (first > 0 && s[first - 1] != (unsigned char)byte)
			first--;
		first -= first > 0;
		range_read(s + first, size - first, RT_CALLER);
	}
	return REAL(memrchr)(in, byte, size);
}

RT_EXPORT void *memccpy(void *restrict to, const void *restrict from, int byte, size_t size)
{
	if (HEARD)
		copied(to, from, searched(from, byte, size), RT_CALLER);
	return REAL(memccpy)(to, from, byte, size);
}

/* What was looked at in the hay ends with the find. */
RT_EXPORT void *memmem(const void *hay, size_t size, const void *needle, size_t needle_size)
{
	if (HEARD) {
		void *found = REAL(memmem)(hay, size, needle, needle_size);

		range_read(needle, needle_size, RT_CALLER);
		range_read(hay, found ? (size_t)((char *)found - (char *)hay) + needle_size : size, RT_CALLER);
	}
	return REAL(memmem)(hay, size, needle, needle_size);
}

RT_EXPORT void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
RT_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room);
RT_EXPORT void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
RT_EXPORT void *__memset_chk(void *to, int byte, size_t size, size_t room);

/* The fortified ones end the program when room is too small: then nothing was touched. */
RT_EXPORT void *__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
	if (HEARD && size <= room)
		copied(to, from, size, RT_CALLER);
	return REAL(__memcpy_chk)(to, from, size, room);
}

RT_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room)
{
	if (HEARD && size <= room)
		copied(to, from, size, RT_CALLER);
	return REAL(__mempcpy_chk)(to, from, size, room);
}

RT_EXPORT void *__memmove_chk(void *to, const void *from, size_t size, size_t room)
{
	if (HEARD && size <= room)
		copied(to, from, size, RT_CALLER);
	return REAL(__memmove_chk)(to, from, size, room);
}

RT_EXPORT void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
	if (HEARD && size <= room)
		range_write(to, size, RT_CALLER);
	return REAL(__memset_chk)(to, byte, size, room);
}
