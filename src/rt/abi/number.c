/*
 * number - text to numbers. They read up to the first byte that does not belong, with it,
 * and write where that is.
 */
#include <stdlib.h>

#include "rt/abi/range.h"

static void parsed(const char *s, const char *end, char **place, uintptr_t pc)
{
	range_read(s, (size_t)(end - s) + 1, pc);
	if (place)
		range_write(place, sizeof(*place), pc);
}

#define INTEGER(type, name) \
	RT_EXPORT type name(const char *restrict s, char **restrict place, int base) \
	{ \
		if (HEARD) { \
			char *end = (char *)s; \
			REAL(name)(s, &end, base); \
			parsed(s, end, place, RT_CALLER); \
		} \
		return REAL(name)(s, place, base); \
	}

#define REAL_NUMBER(type, name) \
	RT_EXPORT type name(const char *restrict s, char **restrict place) \
	{ \
		if (HEARD) { \
			char *end = (char *)s; \
			REAL(name)(s, &end); \
			parsed(s, end, place, RT_CALLER); \
		} \
		return REAL(name)(s, place); \
	}

INTEGER(long, strtol)
INTEGER(unsigned long, strtoul)
INTEGER(long long, strtoll)
INTEGER(unsigned long long, strtoull)
REAL_NUMBER(double, strtod)
REAL_NUMBER(float, strtof)

/* These are strtol and strtod in base 10: they end where those would. */
#define PLAIN(type, name) \
	RT_EXPORT type name(const char *s) \
	{ \
		if (HEARD) { \
			char *end = (char *)s; \
			REAL(strtol)(s, &end, 10); \
			parsed(s, end, NULL, RT_CALLER); \
		} \
		return REAL(name)(s); \
	}

PLAIN(int, atoi)
PLAIN(long, atol)
PLAIN(long long, atoll)

RT_EXPORT double atof(const char *s)
{
	if (HEARD) {
		char *end = (char *)s;

		REAL(strtod)(s, &end);
		parsed(s, end, NULL, RT_CALLER);
	}
	return REAL(atof)(s);
}
