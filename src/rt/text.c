/*
 * text - formatting without stdio.
 */
#include "rt/rt.h"
#include "rt/text.h"

struct text {
	char *at, *end; /* end: room for the NUL is kept behind it */
};

static void put(struct text *text, char c)
{
	if (text->at < text->end)
		*text->at++ = c;
}

static void put_string(struct text *text, const char *s)
{
	for (s = s ? s : "(null)"; *s; s++)
		put(text, *s);
}

static void put_number(struct text *text, unsigned long n, unsigned base)
{
	char digits[20];
	int count = 0;

	do
		digits[count++] = "0123456789abcdef"[n % base];
	while (n /= base);
	while (count)
		put(text, digits[--count]);
}

static void put_signed(struct text *text, int n)
{
	if (n < 0)
		put(text, '-');
	put_number(text, n < 0 ? -(unsigned long)n : (unsigned long)n, 10);
}

size_t text_format(char *to, size_t size, const char *format, va_list arguments)
{
	struct text text = { to, to + size - 1 };

	for (; *format; format++) {
		if (*format != '%') {
			put(&text, *format);
			continue;
		}
		switch (*++format) {
		case 's': put_string(&text, va_arg(arguments, const char *)); break;
		case 'u': put_number(&text, va_arg(arguments, unsigned), 10); break;
		case 'd': put_signed(&text, va_arg(arguments, int)); break;
		case 'p':
			put_string(&text, "0x");
			put_number(&text, va_arg(arguments, unsigned long), 16);
			break;
		case 'l': put_number(&text, va_arg(arguments, unsigned long), *++format == 'x' ? 16 : 10); break;
		default: put(&text, *format);
		}
	}
	*text.at = 0;
	return text.at - to;
}
