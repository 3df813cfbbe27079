/*
 * atomic128 - 16-byte atomics, by cmpxchg16b (on every x86-64 these compilers emit calls for).
 *
 * A load is an exchange of equals, as in libatomic: it needs the page to be writable.
 */
#include "rt/abi/atomic.h"

typedef unsigned __int128 wide;

static bool swap(volatile wide *a, wide *expected, wide value)
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

static wide load(const volatile wide *a)
{
	wide seen = 0;

	swap((volatile wide *)a, &seen, 0);
	return seen;
}

#define WIDE_OPERATION(name, expression) \
	static wide wide_##name(volatile wide *a, wide value, int order) \
	{ \
		wide seen = load(a); \
		while (!swap(a, &seen, expression)) \
			; \
		return seen; \
	}
WIDE_OPERATION(exchange, value)
WIDE_OPERATION(fetch_add, seen + value)
WIDE_OPERATION(fetch_sub, seen - value)
WIDE_OPERATION(fetch_and, seen & value)
WIDE_OPERATION(fetch_or, seen | value)
WIDE_OPERATION(fetch_xor, seen ^ value)
WIDE_OPERATION(fetch_nand, ~(seen & value))

RT_EXPORT wide __tsan_atomic128_load(const volatile wide *a, int order);
RT_EXPORT wide __tsan_atomic128_load(const volatile wide *a, int order)
{
	wide value;

	ATOMIC_BEGIN(a, 128, ATOMIC_LOAD, order, RT_CALLER);
	value = load(a);
	ATOMIC_END(a, ATOMIC_LOAD, order);
	return value;
}

RT_EXPORT void __tsan_atomic128_store(volatile wide *a, wide value, int order);
RT_EXPORT void __tsan_atomic128_store(volatile wide *a, wide value, int order)
{
	ATOMIC_BEGIN(a, 128, ATOMIC_STORE, order, RT_CALLER);
	wide_exchange(a, value, order);
	ATOMIC_END(a, ATOMIC_STORE, order);
}

ATOMIC_MODIFY(128, wide, exchange, wide_exchange)
ATOMIC_MODIFY(128, wide, fetch_add, wide_fetch_add)
ATOMIC_MODIFY(128, wide, fetch_sub, wide_fetch_sub)
ATOMIC_MODIFY(128, wide, fetch_and, wide_fetch_and)
ATOMIC_MODIFY(128, wide, fetch_or, wide_fetch_or)
ATOMIC_MODIFY(128, wide, fetch_xor, wide_fetch_xor)
ATOMIC_MODIFY(128, wide, fetch_nand, wide_fetch_nand)

static inline bool compare_exchange128(volatile wide *a, wide *expected, wide value, int order, int failure,
				       uintptr_t pc)
{
	bool done;

	ATOMIC_BEGIN(a, 128, ATOMIC_RMW, order, pc);
	done = swap(a, expected, value);
	if (done)
		ATOMIC_END(a, ATOMIC_RMW, order);
	else
		ATOMIC_END(a, ATOMIC_LOAD, failure);
	return done;
}

ATOMIC_COMPARE(128, wide)
