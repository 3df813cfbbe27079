/*
 * siteset - several sites in one cell.
 *
 * Code that touches the bytes of one granule from several places (a struct of small fields,
 * an unrolled loop over bytes) would need a cell per place. Instead a cell's place may name a
 * set of (site, bytes): one cell per (segment, kind) then holds them all, hits stay one
 * compare, and when a conflict comes every site is known with its own bytes. Merging them
 * under one site was decided against: it would name sites that never touched the byte.
 *
 * Sets are interned as a trie: a set is its last member (greatest site) and the set before
 * it, so the order of adding does not matter. One table remembers every step (set, site, bytes)
 * -> set, whether it led to a child or into the middle. Most code repeats itself and needs some
 * hundreds. Bounded: code that compares bytes at random from fifty places (bzip2) fills any
 * table. Then a cell's bytes grow without a site to them (counted): its set keeps saying which
 * bytes are whose, and of the others nobody is accused. A conflict there is still seen, makes the
 * granule a list, and the site is known the next time it comes by. Sets of one, which that needs
 * for a cell that named one site so far, have a quarter of the table for themselves. A cell
 * for every further site was tried: a third of pbzip2's accesses then hit beyond the first cell.
 */
#include "rt/detect/internal.h"

/* Small enough (1 MiB with the results) to stay near a core; the size was not tuned on its own. */
#define SETS (1u << 14)
#define STEPS (1u << 16) /* at most half full */
#define ALONE (SETS / 4)  /* kept for sets of one */

struct set {
	uint32_t parent;  /* PLACE_SET | number, or 0 */
	uint32_t site;
	uint16_t bytes;
	uint16_t length;
};

static struct rt_lock lock;
static struct set *sets;
static uint64_t *steps;   /* place before, site, bytes; 0: empty */
static uint32_t *results;
static uint32_t count = 1, step_count;
bool siteset_full;
static bool alone_full;

_Static_assert(2 * PLACE_BITS + GRANULE == 64, "a step is one word");

static const struct set *set_at(uint32_t place)
{
	return &sets[place & ~PLACE_SET];
}

static uint64_t step_key(uint32_t parent, uint32_t site, uint32_t bytes)
{
	return (uint64_t)parent << (PLACE_BITS + GRANULE) | (uint64_t)site << GRANULE | bytes;
}

static uint32_t step_slot(uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40);

	for (;; i++) {
		uint64_t seen = __atomic_load_n(&steps[i % STEPS], __ATOMIC_ACQUIRE);

		if (!seen || seen == key)
			return i % STEPS;
	}
}

static inline uint32_t step_find(uint64_t key)
{
	uint32_t i = step_slot(key);

	return __atomic_load_n(&steps[i], __ATOMIC_ACQUIRE) ? __atomic_load_n(&results[i], __ATOMIC_RELAXED) : 0;
}

static bool has_room(uint32_t parent)
{
	uint32_t kept = parent ? ALONE : 0;

	return count + kept < SETS && step_count + kept < STEPS / 2;
}

static uint32_t set_new(uint32_t parent, uint32_t site, uint32_t bytes)
{
	unsigned length = parent ? set_at(parent)->length + 1u : 1u;

	if (length > SITESET_MAX)
		return 0;
	if (!has_room(parent)) {
		*(parent ? &siteset_full : &alone_full) = true;
		return 0;
	}
	sets[count] = (struct set){ parent, site, (uint16_t)bytes, (uint16_t)length };
	return PLACE_SET | count++;
}

/* With the lock held: the set with the member in its place, remembered. */
static uint32_t step_make(uint32_t parent, uint32_t site, uint32_t bytes)
{
	uint64_t key = step_key(parent, site, bytes);
	uint32_t result = step_find(key), i;
	struct set last;

	if (result)
		return result;
	last = parent ? *set_at(parent) : (struct set){ 0 };
	if (last.site < site)
		result = set_new(parent, site, bytes);
	else if (last.site == site)
		result = step_make(last.parent, site, bytes | last.bytes);
	else if ((result = step_make(last.parent, site, bytes)))
		result = step_make(result, last.site, last.bytes);
	if (!result || step_count >= STEPS / 2)
		return result;
	i = step_slot(key);
	results[i] = result;
	step_count++;
	__atomic_store_n(&steps[i], key, __ATOMIC_RELEASE);
	return result;
}

static bool tables_make(void)
{
	if (!sets)
		sets = rt_reserve(SETS * sizeof(*sets), false);
	if (!results)
		results = rt_reserve(STEPS * sizeof(*results), false);
	if (!steps && sets && results)
		__atomic_store_n(&steps, rt_reserve(STEPS * sizeof(*steps), false), __ATOMIC_RELEASE);
	siteset_full |= !steps;
	alone_full |= !steps;
	return steps;
}

static RT_NOINLINE uint32_t step_add(uint32_t parent, uint32_t site, uint32_t bytes)
{
	uint32_t result = 0;

	if (parent ? siteset_full : alone_full)
		return 0;
	rt_lock(&lock);
	if (tables_make())
		result = step_make(parent, site, bytes);
	rt_unlock(&lock);
	return result;
}

static uint32_t step(uint32_t parent, uint32_t site, uint32_t bytes)
{
	uint32_t result = 0;

	if (likely(__atomic_load_n(&steps, __ATOMIC_ACQUIRE) != NULL))
		result = step_find(step_key(parent, site, bytes));
	return likely(result) ? result : step_add(parent, site, bytes);
}

uint32_t siteset_add(uint64_t cell, uint32_t site, uint32_t bytes)
{
	uint32_t place = cell_place(cell);

	if (!(place & PLACE_SET))
		place = step(0, place, cell_bytes(cell));
	return place ? step(place, site, bytes) : 0;
}

uint32_t siteset_keep(uint64_t cell)
{
	uint32_t place = cell_place(cell);

	if (!(place & PLACE_SET))
		place = step(0, place, cell_bytes(cell));
	return place ? place : PLACE_SET;
}

unsigned siteset_members(uint64_t cell, struct member *out)
{
	uint32_t place = cell_place(cell);
	unsigned n = 0;

	if (!(place & PLACE_SET)) {
		out[0] = (struct member){ place, cell_bytes(cell) };
		return 1;
	}
	for (; (place & ~PLACE_SET) && n < SITESET_MAX; place = set_at(place)->parent)
		out[n++] = (struct member){ set_at(place)->site, set_at(place)->bytes };
	return n;
}
