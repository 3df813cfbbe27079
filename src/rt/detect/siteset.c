/*
 * siteset - several sites in one cell.
 *
 * Code that touches the bytes of one granule from several places (a struct of small fields,
 * an unrolled loop over bytes) would need a cell per place. Instead a cell's place may name a
 * set of (site, bytes): one cell per (segment, kind) then holds them all, hits stay one
 * compare, and when a conflict comes every site is known with its own bytes. Merging them
 * under one site was decided against: it would name sites that never touched the byte.
 *
 * Sets are interned as a trie: a set is (parent, site, bytes), found by a memo of steps
 * (place before, site, bytes) -> place after. Most code repeats itself and needs some hundreds.
 * Bounded: code that compares bytes at random from fifty places (bzip2) fills any table. Then a
 * cell's bytes grow without a site to them (record.c counts that); a conflict there is still
 * seen, makes the granule a list, and the site is known the next time it comes by.
 */
#include "rt/detect/internal.h"

#define SETS (1u << 16)
#define STEPS (1u << 18) /* at most half full: a set may be reached by several steps */

struct set {
	uint32_t parent;  /* PLACE_SET | number, or 0 */
	uint32_t site;
	uint8_t bytes;
	uint8_t length;
};

static struct rt_lock lock;
static struct set *sets;
static uint64_t *steps;   /* before << 32 | member, 0: empty */
static uint32_t *results;
static uint32_t count = 1;

/* One member in a word: 24 bits of site and 8 of bytes. */
static uint32_t member_word(uint32_t site, uint32_t bytes)
{
	return site << 8 | bytes;
}

static uint32_t step_slot(uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 45);

	for (;; i++) {
		uint64_t seen = __atomic_load_n(&steps[i % STEPS], __ATOMIC_ACQUIRE);

		if (!seen || seen == key)
			return i % STEPS;
	}
}

static uint32_t step_find(uint64_t key)
{
	uint32_t i = step_slot(key);

	return __atomic_load_n(&steps[i], __ATOMIC_ACQUIRE) ? __atomic_load_n(&results[i], __ATOMIC_RELAXED) : 0;
}

static uint32_t set_new(uint32_t parent, uint32_t site, uint32_t bytes)
{
	unsigned length = parent ? sets[parent & ~PLACE_SET].length + 1u : 1u;

	if (count >= SETS || length > SITESET_MAX)
		return 0;
	sets[count] = (struct set){ parent, site, (uint8_t)bytes, (uint8_t)length };
	return PLACE_SET | count++;
}

static RT_NOINLINE uint32_t step_add(uint64_t key, uint32_t parent, uint32_t site, uint32_t bytes)
{
	uint32_t i, result = 0;

	rt_lock(&lock);
	if (!sets) {
		sets = rt_reserve(SETS * sizeof(*sets), false);
		results = rt_reserve(STEPS * sizeof(*results), false);
		__atomic_store_n(&steps, rt_reserve(STEPS * sizeof(*steps), false), __ATOMIC_RELEASE);
	}
	if (sets && results && steps) {
		i = step_slot(key);
		result = steps[i] ? results[i] : set_new(parent, site, bytes);
		results[i] = result;
		if (result)
			__atomic_store_n(&steps[i], key, __ATOMIC_RELEASE);
	}
	rt_unlock(&lock);
	return result;
}

static uint32_t step(uint32_t parent, uint32_t site, uint32_t bytes)
{
	uint64_t key = (uint64_t)parent << 32 | member_word(site, bytes);
	uint32_t result = __atomic_load_n(&steps, __ATOMIC_ACQUIRE) ? step_find(key) : 0;

	return likely(result) ? result : step_add(key, parent, site, bytes);
}

/* The set already says that site touched these bytes. */
static bool knows(uint32_t place, uint32_t site, uint32_t bytes)
{
	for (; place; place = sets[place & ~PLACE_SET].parent)
		if (sets[place & ~PLACE_SET].site == site)
			bytes &= ~(uint32_t)sets[place & ~PLACE_SET].bytes;
	return !bytes;
}

uint32_t siteset_add(uint64_t cell, uint32_t site, uint32_t bytes)
{
	uint32_t place = cell_place(cell);

	if (site >= 1u << 24)
		return 0;
	if (!(place & PLACE_SET))
		place = step(0, place, cell_bytes(cell));
	else if (knows(place, site, bytes))
		return place;
	if (!place)
		return 0;
	/* The same site again: the last step is taken back and made anew with more bytes. */
	if (sets[place & ~PLACE_SET].site == site) {
		bytes |= sets[place & ~PLACE_SET].bytes;
		place = sets[place & ~PLACE_SET].parent;
	}
	return step(place, site, bytes);
}

unsigned siteset_members(uint64_t cell, struct member *out)
{
	uint32_t place = cell_place(cell);
	unsigned n = 0;

	if (!(place & PLACE_SET)) {
		out[0] = (struct member){ place, cell_bytes(cell) };
		return 1;
	}
	for (; place && n < SITESET_MAX; place = sets[place & ~PLACE_SET].parent)
		out[n++] = (struct member){ sets[place & ~PLACE_SET].site, sets[place & ~PLACE_SET].bytes };
	return n;
}
