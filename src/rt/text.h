/*
 * text - a printf of six conversions, for refusals and notes.
 */
#ifndef RT_TEXT_H
#define RT_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * %s %u %d %lu %lx %p and %%, no widths. Always ends in NUL; cuts what does not fit.
 * Returns the length written, without the NUL.
 */
size_t text_format(char *to, size_t size, const char *format, va_list arguments);

#endif
