/*
 * twin - a miss over two granules, done as the last one of the same site (struct twin).
 *
 * Vectors that are not aligned to their size come in rows: the next one finds cells that look like those the last
 * one found, in two granules, and does the same to them. So what was done is kept, eight cells before and what they
 * became, and repeated without asking what they mean. A relaxation over doubles (bench/detect/matrix.c) misses
 * so after every barrier.
 *
 * I1  Only cells of ours, before and after: what they mean to us depends on nothing but the key, the site and the cells,
 *     and they are written by plain stores as record_quick would.
 * I2  Nothing that must be counted as lost is repeated.
 * I3  A twin is of one count of collections, and none is kept or used while one is on: no number in it was given away.
 */
#ifndef RT_DETECT_TWIN_H
#define RT_DETECT_TWIN_H

#include "rt/detect/quick.h"

static inline struct twin *twin_of(struct detect_thread *t, uintptr_t pc)
{
	return &t->twins[(pc ^ pc >> 5) % TWINS];
}

/* Is it of this site, place and moment? */
static inline bool twin_is_of(const struct twin *twin, const struct detect_thread *t, uintptr_t address, uintptr_t pc)
{
	return twin->pc == pc && twin->key == t->key && t->key && twin->place == address % GRANULE &&
	       twin->collections == __atomic_load_n(&segment_collections, __ATOMIC_ACQUIRE);
}

/* One granule of it: is everything as it was seen? */
static inline bool twin_fits(const struct twin *twin, unsigned i, const uint64_t *cells, const uint64_t *rest)
{
	const uint64_t *seen = twin->seen[i];

	return !((cell_load(cells) ^ seen[0]) | (cell_load(&rest[0]) ^ seen[1]) | (cell_load(&rest[1]) ^ seen[2]) |
		 (cell_load(&rest[2]) ^ seen[3]));
}
_Static_assert(CELLS == 4, "twin_fits compares four");

static inline void other_put(const struct twin *twin, unsigned i, uint64_t *rest, uint64_t cell)
{
	if (twin->other_at[i])
		__atomic_store_n(&rest[twin->other_at[i] - 1], cell, __ATOMIC_RELAXED);
}

static inline void first_put(const struct twin *twin, unsigned i, uint64_t *cells)
{
	if (twin->first[i] != twin->seen[i][0])
		__atomic_store_n(cells, twin->first[i], __ATOMIC_RELAXED);
}

/*
 * False: nothing was done, use quick_two. The rest is written before the first and taken back if numbers are
 * collected meanwhile, as in move_first.
 */
static inline bool twin_repeats(struct detect_thread *t, uintptr_t address, uintptr_t pc)
{
	struct twin *twin = twin_of(t, pc);
	uint64_t *cells, *rest;

	if (!twin_is_of(twin, t, address, pc) || (address + GRANULE) >> CHUNK_BITS != address >> CHUNK_BITS)
		return false;
	cells = shadow_cells(address);
	if (unlikely(!cells))
		return false;
	rest = cells_rest(cells);
	if (!twin_fits(twin, 0, cells, rest) || !twin_fits(twin, 1, cells + 1, rest + CELLS_REST))
		return false;
	other_put(twin, 0, rest, twin->other[0]);
	other_put(twin, 1, rest + CELLS_REST, twin->other[1]);
	if (unlikely(__atomic_load_n(&segment_collections, __ATOMIC_RELAXED) != twin->collections)) {
		other_put(twin, 0, rest, 0);
		other_put(twin, 1, rest + CELLS_REST, 0);
		return false;
	}
	first_put(twin, 0, cells);
	first_put(twin, 1, cells + 1);
	twin->rests = 0;
	twin->tries = 2;
	return true;
}

/* ---- learning --------------------------------------------------------------------- */

static inline void twin_look(uint64_t *cells, uint64_t seen[2][CELLS])
{
	for (unsigned i = 0; i < 2 * CELLS; i++)
		seen[i / CELLS][i % CELLS] = cell_load(cell_at(cells + i / CELLS, i % CELLS));
}

static inline bool is_ours(const struct detect_thread *t, uint64_t cell)
{
	return !cell || (cell_key(cell) && segment_at(cell_segment(cell))->slot == t->slot);
}

static inline bool twin_is_due(struct twin *twin)
{
	if (!is_due(&twin->rests))
		return false;
	if (twin->tries) {
		twin->tries--;
		twin->rests = 0;
	}
	return true;
}

/* What became of one granule; false: somebody else was there too. */
static inline bool twin_learn(const struct detect_thread *t, struct twin *twin, unsigned i, const uint64_t *now)
{
	const uint64_t *seen = twin->seen[i];

	twin->first[i] = now[0];
	twin->other_at[i] = 0;
	for (unsigned at = 0; at < CELLS; at++) {
		if (!is_ours(t, seen[at]) || !is_ours(t, now[at]))
			return false;
		if (at && seen[at] != now[at]) {
			if (twin->other_at[i])
				return false;
			twin->other_at[i] = (uint8_t)at;
			twin->other[i] = now[at];
		}
	}
	return true;
}

static inline bool record_two(struct detect_thread *t, uint64_t *cells, uint32_t bytes, unsigned flags, uint32_t site)
{
	return record_quick(t, cells, bytes & GRANULE_BYTES, flags, site, true, true, false) &&
	       record_quick(t, cells + 1, bytes >> GRANULE, flags, site, true, true, false);
}

/* As record_quick for both; bytes: of the two. Now and then what was done is kept as a twin. */
static inline bool quick_two(struct detect_thread *t, uintptr_t address, uint32_t bytes, unsigned flags, uint32_t site,
			     uintptr_t pc)
{
	uint32_t collections = __atomic_load_n(&segment_collections, __ATOMIC_ACQUIRE);
	uint64_t *cells = shadow_cells(address), lost = t->lost_cells, now[2][CELLS];
	struct twin *twin = twin_of(t, pc);
	bool learn = !(collections & 1) && twin_is_due(twin);

	if (learn) {
		twin->key = 0;
		twin_look(cells, twin->seen);
	}
	if (!record_two(t, cells, bytes, flags, site))
		return false;
	if (!learn)
		return true;
	twin_look(cells, now);
	if (t->lost_cells == lost && twin_learn(t, twin, 0, now[0]) && twin_learn(t, twin, 1, now[1])) {
		twin->pc = pc;
		twin->place = address % GRANULE;
		twin->collections = collections;
		twin->key = t->key;
	}
	return true;
}

#endif
