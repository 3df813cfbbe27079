/*
 * scan - scanf and its kin: what they wrote to their arguments, as many as they say they
 * assigned; sscanf also reads its text, all of it. By the names glibc gives to programs of C99
 * and later.
 */
#include <stdio.h>

#include "rt/abi/directive.h"

#define SCAN(name, list_name, fixed, ...) \
	RT_EXPORT int name fixed; \
	RT_EXPORT int name fixed \
	{ \
		va_list arguments; \
		int result; \
		va_start(arguments, format); \
		READS; \
		va_list again; \
		va_copy(again, arguments); \
		result = REAL(list_name)(__VA_ARGS__, arguments); \
		if (HEARD) \
			directives_scan(format, again, result, RT_CALLER); \
		va_end(again); \
		va_end(arguments); \
		return result; \
	}

#define SCAN_LIST(name, fixed, ...) \
	RT_EXPORT int name fixed; \
	RT_EXPORT int name fixed \
	{ \
		va_list again; \
		int result; \
		READS; \
		va_copy(again, arguments); \
		result = REAL(name)(__VA_ARGS__); \
		if (HEARD) \
			directives_scan(format, again, result, RT_CALLER); \
		va_end(again); \
		return result; \
	}

#define READS (void)0
SCAN_LIST(__isoc99_vscanf, (const char *format, va_list arguments), format, arguments)
SCAN_LIST(__isoc99_vfscanf, (FILE *stream, const char *format, va_list arguments), stream, format, arguments)
SCAN(__isoc99_scanf, __isoc99_vscanf, (const char *format, ...), format)
SCAN(__isoc99_fscanf, __isoc99_vfscanf, (FILE *stream, const char *format, ...), stream, format)
#undef READS
#define READS (void)(HEARD && range_read_string(text, RT_CALLER))
SCAN_LIST(__isoc99_vsscanf, (const char *text, const char *format, va_list arguments), text, format, arguments)
SCAN(__isoc99_sscanf, __isoc99_vsscanf, (const char *text, const char *format, ...), text, format)
