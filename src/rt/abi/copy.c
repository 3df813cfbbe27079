/*
 * copy - memory functions the compilers call by tsan's name (clang: memcpy of a size that
 * is not known at compile time; large structs).
 */
#include <string.h>

#include "rt/abi/range.h"

RT_EXPORT void *__tsan_memcpy(void *to, const void *from, unsigned long size);
RT_EXPORT void *__tsan_memcpy(void *to, const void *from, unsigned long size)
{
	if (HEARD) {
		range_read(from, size, RT_CALLER);
		range_write(to, size, RT_CALLER);
	}
	return REAL(memcpy)(to, from, size);
}

RT_EXPORT void *__tsan_memmove(void *to, const void *from, unsigned long size);
RT_EXPORT void *__tsan_memmove(void *to, const void *from, unsigned long size)
{
	if (HEARD) {
		range_read(from, size, RT_CALLER);
		range_write(to, size, RT_CALLER);
	}
	return REAL(memmove)(to, from, size);
}

RT_EXPORT void *__tsan_memset(void *to, int byte, unsigned long size);
RT_EXPORT void *__tsan_memset(void *to, int byte, unsigned long size)
{
	if (HEARD)
		range_write(to, size, RT_CALLER);
	return REAL(memset)(to, byte, size);
}
