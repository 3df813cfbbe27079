/* error - see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread char message[2048];
static __thread int status = 1;

#define FORMAT_MESSAGE(exit_status) do { \
	char text[sizeof(message)]; /* the arguments may be the old message */ \
	va_list args; \
	va_start(args, format); \
	vsnprintf(text, sizeof(text), format, args); \
	va_end(args); \
	memcpy(message, text, sizeof(text)); \
	status = (exit_status); \
} while (0)

int error(const char *format, ...)
{
	FORMAT_MESSAGE(1);
	return -1;
}

int error_usage(const char *format, ...)
{
	FORMAT_MESSAGE(2);
	return -1;
}

int error_cannot(const char *format, ...)
{
	FORMAT_MESSAGE(3);
	return -1;
}

int error_prefix(const char *format, ...)
{
	char prefix[512], old[sizeof(message)];
	va_list args;

	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	memcpy(old, message, sizeof(old));
	snprintf(message, sizeof(message), "%s: %.*s", prefix, (int)(sizeof(message) - sizeof(prefix) - 3), old);
	return -1;
}

const char *error_message(void)
{
	return message;
}

int error_status(void)
{
	return status;
}

void bug_at(const char *file, int line, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "deadheat: BUG at %s:%d: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\ndeadheat: this is a fault of deadheat, please report it with the command line\n", stderr);
	abort();
}
