/*
 * columns - two blocks of text beside each other, where the terminal is wide enough.
 *
 * Lines are measured in columns: escape sequences take none, a UTF-8 character one. What
 * does not fit is not cut: the caller then prints the blocks one above the other.
 */
#include <string.h>

#include "report/internal.h"

#define GUTTER 3

int column_width(const struct ink *ink)
{
	return (ink->width - GUTTER) / 2;
}

/* Columns up to the end of the line; *length its bytes. */
static int measure(const char *line, size_t *length)
{
	int columns = 0;

	*length = strcspn(line, "\n");
	for (const char *p = line; p < line + *length; p++) {
		if (*p == '\033')
			p += strcspn(p, "m");
		else
			columns += ((unsigned char)*p & 0xc0) != 0x80;
	}
	return columns;
}

static bool fits(const char *text, int width)
{
	size_t length;

	for (; *text; text += length + (text[length] == '\n'))
		if (measure(text, &length) > width)
			return false;
	return true;
}

static const char *next_line(const char *line, size_t length)
{
	return line + length + (line[length] == '\n');
}

bool print_columns(const struct ink *ink, const char *left, const char *right)
{
	int width = column_width(ink);

	if (!fits(left, width) || !fits(right, width))
		return false;
	while (*left || *right) {
		size_t left_length, right_length;
		int used = measure(left, &left_length);

		measure(right, &right_length);
		fprintf(ink->out, "%.*s", (int)left_length, left);
		if (right_length)
			fprintf(ink->out, "%*s%.*s", width - used + GUTTER, "", (int)right_length, right);
		fputc('\n', ink->out);
		left = next_line(left, left_length);
		right = next_line(right, right_length);
	}
	return true;
}
