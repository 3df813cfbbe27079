/*
 * wide - the everyday functions on wchar_t strings, as string.c and search.c.
 */
#include <wchar.h>

#include "rt/abi/range.h"

static void reads(const wchar_t *s, size_t count, uintptr_t pc)
{
	range_read(s, count * sizeof(*s), pc);
}

static void writes(wchar_t *s, size_t count, uintptr_t pc)
{
	range_write(s, count * sizeof(*s), pc);
}

static size_t length(const wchar_t *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

static void compares(const wchar_t *a, const wchar_t *b, size_t max, bool strings, uintptr_t pc)
{
	size_t n = 0;

	while (n < max && a[n] == b[n] && (a[n] || !strings))
		n++;
	n += n < max;
	reads(a, n, pc);
	reads(b, n, pc);
}

RT_EXPORT size_t wcslen(const wchar_t *s)
{
	if (HEARD) {
		size_t n = REAL(wcslen)(s);

		reads(s, n + 1, RT_CALLER);
	}
	return REAL(wcslen)(s);
}

RT_EXPORT size_t wcsnlen(const wchar_t *s, size_t max)
{
	if (HEARD) {
		size_t n = REAL(wcsnlen)(s, max);

		reads(s, n < max ? n + 1 : n, RT_CALLER);
	}
	return REAL(wcsnlen)(s, max);
}

RT_EXPORT wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
	if (HEARD) {
		size_t n = length(from, SIZE_MAX) + 1;

		reads(from, n, RT_CALLER);
		writes(to, n, RT_CALLER);
	}
	return REAL(wcscpy)(to, from);
}

RT_EXPORT wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
	if (HEARD) {
		size_t n = length(from, size);

		reads(from, n < size ? n + 1 : n, RT_CALLER);
		writes(to, size, RT_CALLER);
	}
	return REAL(wcsncpy)(to, from, size);
}

static void appends(wchar_t *to, const wchar_t *from, size_t max, uintptr_t pc)
{
	size_t at = length(to, SIZE_MAX), n = length(from, max);

	reads(to, at + 1, pc);
	reads(from, n < max ? n + 1 : n, pc);
	writes(to + at, n + 1, pc);
}

RT_EXPORT wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from)
{
	if (HEARD)
		appends(to, from, SIZE_MAX, RT_CALLER);
	return REAL(wcscat)(to, from);
}

RT_EXPORT wchar_t *wcsncat(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
	if (HEARD)
		appends(to, from, size, RT_CALLER);
	return REAL(wcsncat)(to, from, size);
}

RT_EXPORT int wcscmp(const wchar_t *a, const wchar_t *b)
{
	if (HEARD)
		compares(a, b, SIZE_MAX, true, RT_CALLER);
	return REAL(wcscmp)(a, b);
}

RT_EXPORT int wcsncmp(const wchar_t *a, const wchar_t *b, size_t size)
{
	if (HEARD)
		compares(a, b, size, true, RT_CALLER);
	return REAL(wcsncmp)(a, b, size);
}

RT_EXPORT wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
	if (HEARD) {
		wchar_t *found = REAL(wcschr)(s, c);

		reads(s, (found ? (size_t)(found - s) : length(s, SIZE_MAX)) + 1, RT_CALLER);
	}
	return REAL(wcschr)(s, c);
}

RT_EXPORT wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
	if (HEARD)
		reads(s, length(s, SIZE_MAX) + 1, RT_CALLER);
	return REAL(wcsrchr)(s, c);
}

RT_EXPORT wchar_t *wcsdup(const wchar_t *s)
{
	if (HEARD)
		reads(s, length(s, SIZE_MAX) + 1, RT_CALLER);
	return REAL(wcsdup)(s);
}

RT_EXPORT wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count)
{
	if (HEARD) {
		reads(from, count, RT_CALLER);
		writes(to, count, RT_CALLER);
	}
	return REAL(wmemcpy)(to, from, count);
}

RT_EXPORT wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count)
{
	if (HEARD) {
		reads(from, count, RT_CALLER);
		writes(to, count, RT_CALLER);
	}
	return REAL(wmemmove)(to, from, count);
}

RT_EXPORT wchar_t *wmemset(wchar_t *to, wchar_t value, size_t count)
{
	if (HEARD)
		writes(to, count, RT_CALLER);
	return REAL(wmemset)(to, value, count);
}

RT_EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t count)
{
	if (HEARD)
		compares(a, b, count, false, RT_CALLER);
	return REAL(wmemcmp)(a, b, count);
}
