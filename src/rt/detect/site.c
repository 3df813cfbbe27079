/*
 * site - return addresses become small numbers, so that a cell has room for one.
 *
 * A site is (return address, flags, size): memcpy's read and write, which share a return
 * address, are two. Records lie densely in chunks; an open-addressing table of numbers
 * finds them, is read without a lock and doubled under one (the old table stays readable and
 * is not given back: all old ones together are as large as the new one).
 */
#include "rt/detect/internal.h"

#define CHUNK 4096u
#define CHUNKS (SITE_MAX / CHUNK)

struct table {
	uint32_t mask;
	uint32_t slots[];
};

static struct rt_lock lock;
static struct table *table;
static struct site **chunks;
static uint32_t count = 1; /* 0 is no site */

struct site *site_at(uint32_t site)
{
	return &chunks[site / CHUNK][site % CHUNK];
}

static uint32_t hash_of(uintptr_t pc, unsigned flags, size_t size)
{
	/* Neighbouring call sites lie 5 bytes and more apart: neighbours in the table too. */
	return (uint32_t)(pc >> 2) * 5 + (uint32_t)(pc >> 24) * 0x9e3779b1u + flags * 7 + (uint32_t)size;
}

static bool site_is(const struct site *site, uintptr_t pc, unsigned flags, size_t size)
{
	return site->pc == pc && site->flags == flags && site->size == size;
}

static struct table *table_new(uint32_t size)
{
	struct table *new = rt_reserve(sizeof(*new) + size * sizeof(*new->slots), false);

	if (new)
		new->mask = size - 1;
	return new;
}

static void table_put(struct table *to, uint32_t number)
{
	const struct site *site = site_at(number);
	uint32_t i = hash_of(site->pc, site->flags, site->size);

	while (to->slots[i & to->mask])
		i++;
	__atomic_store_n(&to->slots[i & to->mask], number, __ATOMIC_RELEASE);
}

static void table_grow(void)
{
	struct table *new = table_new((table->mask + 1) * 2);

	if (!new)
		return;
	for (uint32_t i = 1; i < count; i++)
		table_put(new, i);
	__atomic_store_n(&table, new, __ATOMIC_RELEASE);
}

static uint32_t table_find(const struct table *in, uintptr_t pc, unsigned flags, size_t size)
{
	for (uint32_t i = hash_of(pc, flags, size);; i++) {
		uint32_t number = __atomic_load_n(&in->slots[i & in->mask], __ATOMIC_ACQUIRE);

		if (!number || site_is(site_at(number), pc, flags, size))
			return number;
	}
}

static bool is_watched(uintptr_t pc)
{
	const struct wire_plan_site *sites = rt_plan_sites();

	if (!rt_plan)
		return false;
	for (uint32_t i = 0; i < rt_plan->site_count; i++)
		if (sites[i].side == WIRE_SIDE_WATCH && rt_plan_address(sites[i].module, sites[i].offset) == pc)
			return true;
	return false;
}

static uint32_t site_new(uintptr_t pc, unsigned flags, size_t size, bool watched)
{
	struct site **chunk = &chunks[count / CHUNK];

	if (count >= SITE_MAX || count + 1 >= table->mask)
		return 0;
	if (!*chunk && !(*chunk = rt_arena(CHUNK * sizeof(**chunk))))
		return 0;
	(*chunk)[count % CHUNK] = (struct site){ .pc = pc, .flags = (uint16_t)flags, .size = (uint8_t)size,
						 .watched = watched };
	table_put(table, count);
	rt_count(WIRE_SITES);
	return count++;
}

static RT_NOINLINE uint32_t site_add(uintptr_t pc, unsigned flags, size_t size)
{
	bool watched = is_watched(pc);
	uint32_t number;

	rt_lock(&lock);
	number = table_find(table, pc, flags, size);
	if (!number) {
		if (count > table->mask / 2)
			table_grow();
		number = site_new(pc, flags, size, watched);
	}
	rt_unlock(&lock);
	if (!number)
		rt_count(WIRE_LOST_SITES);
	return number;
}

uint32_t site_of(uintptr_t pc, unsigned flags, size_t size)
{
	uint32_t number;

	if (size > 16)
		size = 0;
	number = table_find(__atomic_load_n(&table, __ATOMIC_ACQUIRE), pc, flags, size);
	return likely(number) ? number : site_add(pc, flags, size);
}

bool sites_start(void)
{
	table = table_new(1u << 14);
	chunks = rt_reserve(CHUNKS * sizeof(*chunks), false);
	return table && chunks;
}
