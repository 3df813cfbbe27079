/*
 * meant - what the program asked not to be told: a pause of looking at accesses, and bytes on
 * which races are known and meant.
 *
 * The ranges are a list that only grows, searched when a pair is about to be told: both are
 * rare. A range that is named again is kept once.
 */
#include "rt/rt.h"

bool rt_paused;

struct meant {
	uintptr_t low, high;
	struct meant *next;
};

static struct meant *ranges;

bool rt_is_meant(const void *address, size_t size)
{
	uintptr_t low = (uintptr_t)address;
	const struct meant *range = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);

	while (range && (low >= range->high || low + size <= range->low))
		range = range->next;
	return range != NULL;
}

static bool is_known(uintptr_t low, uintptr_t high)
{
	const struct meant *range = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);

	while (range && (range->low != low || range->high != high))
		range = range->next;
	return range != NULL;
}

void rt_meant(const void *address, size_t size, const char *why)
{
	struct meant *range;

	if (is_known((uintptr_t)address, (uintptr_t)address + size))
		return;
	range = rt_arena(sizeof(*range));
	if (!range) {
		rt_count(WIRE_LOST_MEMORY);
		return;
	}
	range->low = (uintptr_t)address;
	range->high = (uintptr_t)address + size;
	range->next = __atomic_load_n(&ranges, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&ranges, &range->next, range, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	rt_note("the program says that races on %lu bytes at %p are meant: %s", size, address, why);
}
