/*
 * guard - the Itanium C++ ABI leaves all but the first byte to us; laid out as libstdc++ does,
 * so that both can meet at one guard (a plugin with the shared library):
 *
 *     byte 0: 1 = made    byte 1: 1 = somebody makes it    byte 2: 1 = somebody waits
 */
#include "rt/abi/guard.h"

#include "rt/rt.h"

#define MADE 0x1u
#define PENDING 0x100u
#define WAITING 0x10000u

int guard_acquire(uint64_t *guard)
{
	uint32_t *word = (uint32_t *)guard;

	for (;;) {
		uint32_t seen = 0;

		if (__atomic_compare_exchange_n(word, &seen, PENDING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return 1;
		if (seen & MADE)
			return 0;
		if (!(seen & WAITING) && !__atomic_compare_exchange_n(word, &seen, seen | WAITING, false,
								      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		rt_futex_wait(word, seen | WAITING);
	}
}

static void leave(uint32_t *word, uint32_t state)
{
	if (__atomic_exchange_n(word, state, __ATOMIC_ACQ_REL) & WAITING)
		rt_futex_wake(word, INT32_MAX);
}

void guard_release(uint64_t *guard)
{
	leave((uint32_t *)guard, MADE);
}

void guard_abort(uint64_t *guard)
{
	leave((uint32_t *)guard, 0);
}
