/*
 * directive - the arguments behind a format string of printf or scanf, one by one.
 *
 *     struct directives d;
 *     directives_begin(&d, format, arguments);
 *     while (directive_next(&d)) ... d.conversion, d.argument ...
 *     directives_end(&d);
 *
 * Only what points at memory is given: %s and %n of printf, everything of scanf. Numbers are
 * stepped over. Positions ("%2$s") and conversions that are not known end the walk early: what
 * comes after them goes unheard.
 */
#ifndef ABI_DIRECTIVE_H
#define ABI_DIRECTIVE_H

#include <stdarg.h>

#include "rt/abi/range.h"

struct directives {
	const char *at;
	va_list list;
	bool scans;
	/* the one at hand */
	char conversion;   /* 's', 'n', 'd', 'f', 'c', '[', 'p' */
	size_t size;       /* of the object an integer or %f argument points at */
	long width;        /* -1 none */
	long precision;    /* -1 none */
	bool wide, allocates;
	void *argument;
};

void directives_begin(struct directives *d, const char *format, va_list arguments, bool scans);
bool directive_next(struct directives *d);
void directives_end(struct directives *d);

/* printf: tell what it reads by %s and writes by %n. */
void directives_print(const char *format, va_list arguments, uintptr_t pc);
/* scanf: tell what it wrote, the first `assigned` arguments. */
void directives_scan(const char *format, va_list arguments, int assigned, uintptr_t pc);

#endif
