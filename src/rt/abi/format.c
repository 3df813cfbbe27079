/*
 * format - sprintf and its kin: a write of the text and its end to the buffer.
 *
 * How long the text gets is learnt by a dry run without a buffer, so the write is told before
 * it is made. What %s reads and %n writes is told by directive.c.
 */
#include <stdio.h>

#include "rt/abi/directive.h"

/* room: bytes that may be written, with the end. */
static void will_write(char *to, size_t room, const char *format, va_list arguments, uintptr_t pc)
{
	va_list copy;
	int n;

	directives_print(format, arguments, pc);
	va_copy(copy, arguments);
	n = REAL(vsnprintf)(NULL, 0, format, copy);
	va_end(copy);
	if (n >= 0)
		range_write(to, (size_t)n < room ? (size_t)n + 1 : room, pc);
}

RT_EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list arguments)
{
	if (HEARD)
		will_write(to, SIZE_MAX, format, arguments, RT_CALLER);
	return REAL(vsprintf)(to, format, arguments);
}

RT_EXPORT int vsnprintf(char *restrict to, size_t room, const char *restrict format, va_list arguments)
{
	if (HEARD)
		will_write(to, room, format, arguments, RT_CALLER);
	return REAL(vsnprintf)(to, room, format, arguments);
}

RT_EXPORT int sprintf(char *restrict to, const char *restrict format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	if (HEARD)
		will_write(to, SIZE_MAX, format, arguments, RT_CALLER);
	result = REAL(vsprintf)(to, format, arguments);
	va_end(arguments);
	return result;
}

RT_EXPORT int snprintf(char *restrict to, size_t room, const char *restrict format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	if (HEARD)
		will_write(to, room, format, arguments, RT_CALLER);
	result = REAL(vsnprintf)(to, room, format, arguments);
	va_end(arguments);
	return result;
}

RT_EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments);
RT_EXPORT int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments);
RT_EXPORT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
RT_EXPORT int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...);

RT_EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments)
{
	if (HEARD)
		will_write(to, room, format, arguments, RT_CALLER);
	return REAL(__vsprintf_chk)(to, flag, room, format, arguments);
}

RT_EXPORT int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments)
{
	if (HEARD)
		will_write(to, size, format, arguments, RT_CALLER);
	return REAL(__vsnprintf_chk)(to, size, flag, room, format, arguments);
}

RT_EXPORT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	if (HEARD)
		will_write(to, room, format, arguments, RT_CALLER);
	result = REAL(__vsprintf_chk)(to, flag, room, format, arguments);
	va_end(arguments);
	return result;
}

RT_EXPORT int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	if (HEARD)
		will_write(to, size, format, arguments, RT_CALLER);
	result = REAL(__vsnprintf_chk)(to, size, flag, room, format, arguments);
	va_end(arguments);
	return result;
}
