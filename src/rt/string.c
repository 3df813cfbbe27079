/*
 * string - the few string functions the runtime uses itself.
 *
 * libc's are interposed by us: calling them would report our own doings as the
 * program's. The linker's --wrap sends the calls the compiler makes up (struct copies,
 * zeroing) here too. "rep movsb" and "rep stosb" are fast from a few hundred bytes on
 * (ERMS) and never wrong; shorter ones are byte loops of at most 16 rounds.
 */
#include "rt/rt.h"

void *__wrap_memcpy(void *to, const void *from, size_t size) __attribute__((alias("rt_memcpy")));
void *__wrap_memmove(void *to, const void *from, size_t size) __attribute__((alias("rt_memmove")));
void *__wrap_memset(void *to, int byte, size_t size) __attribute__((alias("rt_memset")));
int __wrap_memcmp(const void *a, const void *b, size_t size) __attribute__((alias("rt_memcmp")));

void *rt_memcpy(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;

	for (; size >= 8 && size <= 64; size -= 8, t += 8, f += 8)
		*(uint64_t __attribute__((may_alias, aligned(1))) *)t =
			*(const uint64_t __attribute__((may_alias, aligned(1))) *)f;
	__asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(size) : : "memory");
	return to;
}

void *rt_memmove(void *to, const void *from, size_t size)
{
	char *t = (char *)to + size;
	const char *f = (const char *)from + size;

	if ((uintptr_t)to - (uintptr_t)from >= size)
		return rt_memcpy(to, from, size);
	while (size--)
		*--t = *--f;
	return to;
}

void *rt_memset(void *to, int byte, size_t size)
{
	void *t = to;

	__asm__ volatile("rep stosb" : "+D"(t), "+c"(size) : "a"(byte) : "memory");
	return to;
}

int rt_memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size; size--, x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}

size_t rt_strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

int rt_strncmp(const char *a, const char *b, size_t size)
{
	for (; size; size--, a++, b++) {
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		if (!*a)
			break;
	}
	return 0;
}

int rt_strcmp(const char *a, const char *b)
{
	return rt_strncmp(a, b, SIZE_MAX);
}
