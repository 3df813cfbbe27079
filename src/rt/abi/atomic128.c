/*
 * atomic128 - 16-byte atomics, by cmpxchg16b (on every x86-64 these compilers emit calls for).
 *
 * A load is an exchange of equals, as in libatomic: it needs the page to be writable.
 */
#include "rt/abi/atomic.h"

typedef unsigned __int128 wide;

static bool swap128(volatile wide *a, wide *expected, wide value)
{
	uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*a), "+a"(low), "+d"(high)
			 : "b"((uint64_t)value), "c"((uint64_t)(value >> 64))
			 : "memory");
	*expected = (wide)high << 64 | low;
	return done;
}

static wide load128(const volatile wide *a)
{
	wide seen = 0;

	swap128((volatile wide *)a, &seen, 0);
	return seen;
}

#define WIDE(name, expression) \
	static wide wide_##name(volatile wide *a, wide value, int order) \
	{ \
		wide seen = load128(a); \
		while (!swap128(a, &seen, expression)) \
			; \
		return seen; \
	}
WIDE(exchange, value)
WIDE(add, seen + value)
WIDE(sub, seen - value)
WIDE(and, seen & value)
WIDE(or, seen | value)
WIDE(xor, seen ^ value)
WIDE(nand, ~(seen & value))

static void store128(volatile wide *a, wide value, int order)
{
	wide_exchange(a, value, order);
}

ATOMIC_ALL(128, wide, wide_exchange, wide_add, wide_sub, wide_and, wide_or, wide_xor, wide_nand)
