/*
 * print - printf to streams, descriptors and new memory: what %s reads and %n writes. The
 * format itself is a constant nearly always and is not told.
 */
#include <stdio.h>

#include "rt/abi/directive.h"

#define PRINT(name, fixed, forward, ...) \
	RT_EXPORT int name fixed; \
	RT_EXPORT int name fixed \
	{ \
		va_list arguments; \
		int result; \
		va_start(arguments, format); \
		if (HEARD) \
			directives_print(format, arguments, RT_CALLER); \
		result = REAL(forward)(__VA_ARGS__, arguments); \
		va_end(arguments); \
		return result; \
	}

#define PRINT_LIST(name, fixed, ...) \
	RT_EXPORT int name fixed; \
	RT_EXPORT int name fixed \
	{ \
		if (HEARD) \
			directives_print(format, arguments, RT_CALLER); \
		return REAL(name)(__VA_ARGS__); \
	}

PRINT_LIST(vprintf, (const char *restrict format, va_list arguments), format, arguments)
PRINT_LIST(vfprintf, (FILE *restrict stream, const char *restrict format, va_list arguments), stream, format, arguments)
PRINT_LIST(vdprintf, (int fd, const char *restrict format, va_list arguments), fd, format, arguments)
PRINT_LIST(vasprintf, (char **restrict to, const char *restrict format, va_list arguments), to, format, arguments)
PRINT_LIST(__vprintf_chk, (int flag, const char *format, va_list arguments), flag, format, arguments)
PRINT_LIST(__vfprintf_chk, (FILE *stream, int flag, const char *format, va_list arguments),
	   stream, flag, format, arguments)
PRINT_LIST(__vdprintf_chk, (int fd, int flag, const char *format, va_list arguments), fd, flag, format, arguments)
PRINT_LIST(__vasprintf_chk, (char **to, int flag, const char *format, va_list arguments), to, flag, format, arguments)

PRINT(printf, (const char *restrict format, ...), vprintf, format)
PRINT(fprintf, (FILE *restrict stream, const char *restrict format, ...), vfprintf, stream, format)
PRINT(dprintf, (int fd, const char *restrict format, ...), vdprintf, fd, format)
PRINT(asprintf, (char **restrict to, const char *restrict format, ...), vasprintf, to, format)
PRINT(__printf_chk, (int flag, const char *format, ...), __vprintf_chk, flag, format)
PRINT(__fprintf_chk, (FILE *stream, int flag, const char *format, ...), __vfprintf_chk, stream, flag, format)
PRINT(__dprintf_chk, (int fd, int flag, const char *format, ...), __vdprintf_chk, fd, flag, format)
PRINT(__asprintf_chk, (char **to, int flag, const char *format, ...), __vasprintf_chk, to, flag, format)
