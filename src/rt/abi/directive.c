#include "rt/abi/directive.h"

#include <wchar.h>

void directives_begin(struct directives *d, const char *format, va_list arguments, bool scans)
{
	d->at = format;
	d->scans = scans;
	va_copy(d->list, arguments);
}

void directives_end(struct directives *d)
{
	va_end(d->list);
}

static bool skip(struct directives *d, char c)
{
	if (*d->at != c)
		return false;
	d->at++;
	return true;
}

/* Digits, or the int argument behind a star of printf; -1 if there are none. */
static long number(struct directives *d)
{
	long n = -1;

	if (!d->scans && skip(d, '*'))
		return va_arg(d->list, int);
	for (; *d->at >= '0' && *d->at <= '9'; d->at++)
		n = (n < 0 ? 0 : n) * 10 + (*d->at - '0');
	return n;
}

/* Bytes of the integer meant; L and q and j and z and t and ll are all 8 here. */
static size_t length(struct directives *d)
{
	if (skip(d, 'h'))
		return skip(d, 'h') ? 1 : 2;
	if (skip(d, 'l')) {
		d->wide = !skip(d, 'l');
		return 8;
	}
	if (skip(d, 'L') || skip(d, 'q'))
		return 16;
	return skip(d, 'j') || skip(d, 'z') || skip(d, 't') ? 8 : 4;
}

/* "[^]abc]": the end of the set. */
static bool skip_set(struct directives *d)
{
	skip(d, '^');
	skip(d, ']');
	while (*d->at && *d->at != ']')
		d->at++;
	return skip(d, ']');
}

enum found { FOUND_NOTHING, FOUND_POINTER, FOUND_END };

static enum found print_argument(struct directives *d)
{
	switch (d->conversion) {
	case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'c': case 'C':
		(void)(d->size >= 8 ? va_arg(d->list, long) : va_arg(d->list, int));
		return FOUND_NOTHING;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		if (d->size == 16)
			(void)va_arg(d->list, long double);
		else
			(void)va_arg(d->list, double);
		return FOUND_NOTHING;
	case 'p':
		(void)va_arg(d->list, void *);
		return FOUND_NOTHING;
	case '%': case 'm':
		return FOUND_NOTHING;
	case 's': case 'S': case 'n':
		d->argument = va_arg(d->list, void *);
		return FOUND_POINTER;
	}
	return FOUND_END;
}

static enum found scan_argument(struct directives *d, bool suppressed)
{
	switch (d->conversion) {
	case '%':
		return FOUND_NOTHING;
	case '[':
		if (!skip_set(d))
			return FOUND_END;
		break;
	case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
		d->conversion = 'f';
		break;
	case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
		d->size = d->size == 16 ? 8 : d->size;
		d->conversion = 'd';
		break;
	case 'p': case 's': case 'S': case 'c': case 'C': case 'n':
		break;
	default:
		return FOUND_END;
	}
	if (suppressed)
		return FOUND_NOTHING;
	d->argument = va_arg(d->list, void *);
	return FOUND_POINTER;
}

static enum found one(struct directives *d)
{
	bool suppressed = d->scans && skip(d, '*');

	d->wide = d->allocates = false;
	while (!d->scans && *d->at && REAL(strchr)("-+ #0'I", *d->at))
		d->at++;
	d->width = number(d);
	if (*d->at == '$')
		return FOUND_END;
	d->precision = -1;
	if (!d->scans && skip(d, '.')) {
		d->precision = number(d);
		d->precision = d->precision < 0 ? 0 : d->precision;
	}
	d->allocates = d->scans && skip(d, 'm');
	d->size = length(d);
	d->conversion = *d->at;
	if (!d->conversion)
		return FOUND_END;
	d->at++;
	return d->scans ? scan_argument(d, suppressed) : print_argument(d);
}

bool directive_next(struct directives *d)
{
	while (*d->at) {
		enum found found;

		if (*d->at++ != '%')
			continue;
		found = one(d);
		if (found != FOUND_NOTHING)
			return found == FOUND_POINTER;
	}
	return false;
}

void directives_print(const char *format, va_list arguments, uintptr_t pc)
{
	struct directives d;

	directives_begin(&d, format, arguments, false);
	while (directive_next(&d)) {
		if (!d.argument)
			continue; /* "(null)" */
		if (d.conversion == 'n')
			range_write(d.argument, d.size, pc);
		else if (d.conversion == 's' && !d.wide)
			range_read_bounded(d.argument, d.precision < 0 ? SIZE_MAX : (size_t)d.precision, pc);
	}
	directives_end(&d);
}

static size_t scanned_size(const struct directives *d)
{
	size_t character = d->wide ? sizeof(wchar_t) : 1;

	switch (d->conversion) {
	case 'd': case 'n':
		return d->size;
	case 'f':
		return d->size;
	case 'c':
		return (d->width < 0 ? 1 : (size_t)d->width) * character;
	case 's': case '[':
		return d->wide ? (REAL(wcslen)(d->argument) + 1) * character : range_length(d->argument, SIZE_MAX) + 1;
	}
	return sizeof(void *);
}

void directives_scan(const char *format, va_list arguments, int assigned, uintptr_t pc)
{
	struct directives d;

	directives_begin(&d, format, arguments, true);
	while (assigned > 0 && directive_next(&d)) {
		range_write(d.argument, d.allocates ? sizeof(void *) : scanned_size(&d), pc);
		assigned -= d.conversion != 'n';
	}
	directives_end(&d);
}
