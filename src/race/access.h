/*
 * access - what one thread did to some bytes, in the words every stage shares.
 *
 * The flag word travels from the compiler's hook through the shadow, the wire
 * and the store to the report, so its bits are a file format: never renumber.
 */
#ifndef RACE_ACCESS_H
#define RACE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum access_flag {
	ACCESS_READ = 0,
	ACCESS_WRITE = 1u << 0,
	ACCESS_ATOMIC = 1u << 1,
	ACCESS_VOLATILE = 1u << 2,
	ACCESS_RANGE = 1u << 3,    /* made by a libc function (memcpy, read, ...) */
	ACCESS_FREE = 1u << 4,     /* free(), munmap(): a write to all the bytes */
};

static inline bool access_is_write(unsigned flags)
{
	return flags & ACCESS_WRITE;
}

/* "read", "write": the word of the JSON schema. */
static inline const char *access_kind_name(unsigned flags)
{
	return access_is_write(flags) ? "write" : "read";
}

/* Do two accesses of different threads conflict? Order and locks come on top. */
static inline bool access_conflict(uintptr_t addr_a, unsigned size_a, unsigned flags_a,
				   uintptr_t addr_b, unsigned size_b, unsigned flags_b)
{
	if (!((flags_a | flags_b) & ACCESS_WRITE))
		return false;
	if (flags_a & flags_b & ACCESS_ATOMIC)
		return false;
	return addr_a < addr_b + size_b && addr_b < addr_a + size_a;
}

#endif
