/*
 * range - what libc does to the program's bytes on its behalf, as accesses.
 *
 *     RT_EXPORT void *memcpy(void *to, const void *from, size_t size)
 *     {
 *             if (HEARD) { range_read(from, size, RT_CALLER); range_write(to, size, RT_CALLER); }
 *             return REAL(memcpy)(to, from, size);
 *     }
 *
 * I1  Exactly the bytes the function touches: strcmp reads up to the first difference, strncpy
 *     writes its padding.
 * I2  The access is told before it is made, so that the scheduler can hold it: where its size
 *     depends on the bytes, the function (or one like it) runs twice. Only where it comes from
 *     outside (read, fgets) is it told afterwards.
 * I3  Without a wire: one load, one branch, a jump to the real function.
 */
#ifndef ABI_RANGE_H
#define ABI_RANGE_H

#include <string.h>
#include <sys/uio.h>

#include "rt/abi/tell.h"

#define HEARD unlikely(rt_wire != NULL)

static inline void range_access(const void *address, size_t size, unsigned flags, uintptr_t pc)
{
	if (!size)
		return;
	rt_turn_access(address, size, flags | ACCESS_RANGE, pc);
	TELL(rt_on_access(address, size, flags | ACCESS_RANGE, pc));
}

static inline void range_read(const void *address, size_t size, uintptr_t pc)
{
	range_access(address, size, ACCESS_READ, pc);
}

static inline void range_write(const void *address, size_t size, uintptr_t pc)
{
	range_access(address, size, ACCESS_WRITE, pc);
}

/* The first size bytes of the parts. */
static inline void range_vector(const struct iovec *parts, size_t count, size_t size, unsigned flags, uintptr_t pc)
{
	for (size_t i = 0; i < count && size; i++) {
		size_t part = parts[i].iov_len < size ? parts[i].iov_len : size;

		range_access(parts[i].iov_base, part, flags, pc);
		size -= part;
	}
}

/* A string with its end; at most max bytes. */
static inline size_t range_length(const char *s, size_t max)
{
	return max == SIZE_MAX ? REAL(strlen)(s) : REAL(strnlen)(s, max);
}

static inline size_t range_read_string(const char *s, uintptr_t pc)
{
	size_t n = range_length(s, SIZE_MAX);

	range_read(s, n + 1, pc);
	return n;
}

/* n bytes at most: the end belongs to it only if it was reached. */
static inline size_t range_read_bounded(const char *s, size_t max, uintptr_t pc)
{
	size_t n = range_length(s, max);

	range_read(s, n < max ? n + 1 : n, pc);
	return n;
}

#endif
