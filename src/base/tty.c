/* tty - see tty.h. */
#include "base/tty.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

bool progress_quiet;
static bool shown;

static bool is_terminal(FILE *stream)
{
	return isatty(fileno(stream));
}

bool tty_has_colour(FILE *stream)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");

	return is_terminal(stream) && !(no_colour && *no_colour) && !(term && !strcmp(term, "dumb"));
}

const char *tty_style(FILE *stream, enum tty_style style)
{
	static const char *const codes[TTY_STYLE_COUNT] = {
		"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[34m",
	};

	return tty_has_colour(stream) ? codes[style] : "";
}

int tty_width(FILE *stream)
{
	struct winsize size;

	if (ioctl(fileno(stream), TIOCGWINSZ, &size) || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

static bool too_soon(void)
{
	static struct timespec last;
	struct timespec now;
	double passed;

	clock_gettime(CLOCK_MONOTONIC, &now);
	passed = (double)(now.tv_sec - last.tv_sec) + (double)(now.tv_nsec - last.tv_nsec) / 1e9;
	if (shown && passed < 0.1)
		return true;
	last = now;
	return false;
}

void progress_show(const char *format, ...)
{
	char line[512];
	va_list args;

	if (progress_quiet || !is_terminal(stderr) || too_soon())
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "\r\033[K%.*s", tty_width(stderr) - 1, line);
	fflush(stderr);
	shown = true;
}

void progress_clear(void)
{
	if (!shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	shown = false;
}
