/*
 * quick - the usual miss: no conflict, a cell to be had. Inline in both its users: access.c
 * (misses of patched sites) and record.c (everything else tries it first).
 */
#ifndef RT_DETECT_QUICK_H
#define RT_DETECT_QUICK_H

#include "rt/detect/internal.h"

static inline bool cell_put(uint64_t *cell, uint64_t old, uint64_t new)
{
	if (!detect_many) {
		__atomic_store_n(cell, new, __ATOMIC_RELAXED);
		return true;
	}
	return __atomic_compare_exchange_n(cell, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* The place of a cell that takes another site in; as it was if there is no room for the set. */
static inline uint32_t place_grown(struct detect_thread *t, uint64_t cell, uint32_t site, uint32_t bytes)
{
	uint32_t place = cell_place(cell);

	if (place != site)
		place = siteset_add(cell, site, bytes);
	if (likely(place))
		return place;
	t->lost_cells++;
	return cell_place(cell);
}

/*
 * What look_all and choose would find in the cases that make up nearly all misses: our own
 * cells, cells ordered before us, reads beside reads, room. In one pass, without a conflict.
 */
enum quick {
	QUICK_NOT,      /* may be a conflict, or a list */
	QUICK_KEEP,     /* stays */
	QUICK_LESS,     /* ours of an earlier epoch: can be spared (counted) */
	QUICK_ORDERED,  /* another thread's, ordered before us: likewise */
	QUICK_COUSIN,   /* our segment and kind, another site: could take us in by a set */
	QUICK_OLD,      /* ours of an earlier epoch, and the new one says all it says but the site */
	QUICK_SAME,     /* ... and the site: take it */
	QUICK_MERGE,    /* our segment, kind and site: only bytes are added */
};

static inline __attribute__((always_inline))
enum quick quick_look(const struct detect_thread *t, uint64_t cell, uint64_t key, uint32_t site, bool *alone)
{
	const struct segment *s = segment_at(cell_segment(cell));
	uint64_t differs = cell ^ key;

	if (!(differs & (KEY_SEGMENT | KEY_KIND)))
		return cell_place(cell) == site ? QUICK_MERGE : QUICK_COUSIN;
	if (s->slot == t->slot) {
		if (s->epoch == t->epoch)
			return QUICK_KEEP;
		if (s->lockset != t->lockset || (differs & KEY_KIND) || (cell & ~key & KEY_BYTES))
			return QUICK_LESS;
		return cell_place(cell) == site ? QUICK_SAME : QUICK_OLD;
	}
	if (unlikely(!cell_key(cell)))
		return QUICK_NOT;
	*alone = false;
	if (clock_get(&t->vc, s->slot) >= s->epoch)
		return QUICK_ORDERED;
	if (((cell | key) & KEY_WRITE) && (cell & key & KEY_BYTES) && locksets_disjoint(s->lockset, t->lockset))
		return QUICK_NOT;
	return QUICK_KEEP;
}

/* By compare-and-swap, and nobody else's cell may have appeared meanwhile (I1). */
static inline bool quick_put(uint64_t *cells, const uint64_t *seen, int at, uint64_t new)
{
	if (!cell_put(cell_at(cells, (unsigned)at), seen[at], new))
		return false;
	for (int i = 0; i < (int)CELLS; i++)
		if (unlikely(i != at && cell_load(cell_at(cells, (unsigned)i)) != seen[i]))
			return false;
	return true;
}

/*
 * The first cell is the one the fast path looks at first: what was recorded last belongs there, for
 * it will come again. Only our own write stays before our read, which it also answers for.
 * Numbers being collected, a cell must not slip from a place still to be looked at to one done with.
 */
static inline bool goes_first(uint64_t first, uint64_t key, uint32_t collections)
{
	return (((first ^ key) & KEY_SEGMENT) || !(first & KEY_WRITE)) && !(collections & 1);
}

/* The first cell's content goes to a place in the rest. False: use record_granule. */
static inline bool move_first(uint64_t *cells, uint64_t *seen, int to, bool alone, uint32_t collections)
{
	uint64_t *place = &cells_rest(cells)[to - 1];

	if (alone)
		__atomic_store_n(place, seen[0], __ATOMIC_RELAXED);
	else if (!cell_put(place, seen[to], seen[0]))
		return false;
	seen[to] = seen[0];
	if (likely(__atomic_load_n(&segment_collections, __ATOMIC_RELAXED) == collections))
		return true;
	__atomic_store_n(place, 0, __ATOMIC_RELAXED);
	return false;
}

/*
 * False: nothing was done, or it was done and somebody else's cell appeared meanwhile: use
 * record_granule.
 * may_hit: nobody has looked yet whether the cells say it all already.
 * hot: from a patched site, which will come by again. Then a granule with cells of ours only is
 * written by a plain store; two threads that meet there in that very moment may overwrite
 * each other's first cell and see each other the next time. Compare-and-swap everywhere cost
 * 8 to 10 % of a run full of misses (pigz, a relaxation), 3 runs each on a loaded machine.
 */
static inline __attribute__((always_inline))
bool record_quick(struct detect_thread *t, uint64_t *cells, uint32_t bytes, unsigned flags, uint32_t site, bool hot,
		  bool may_hit)
{
	const uint64_t test = KEY_SEGMENT | KEY_KIND | key_bytes(bytes);
	uint32_t collections = __atomic_load_n(&segment_collections, __ATOMIC_ACQUIRE);
	uint64_t *rest = cells_rest(cells);
	uint64_t key = t->key | key_bytes(bytes) | key_kind(flags), cell[CELLS], new;
	enum quick best = QUICK_NOT;
	uint32_t place = site;
	int at = -1, empty = -1;
	bool alone = hot;

#pragma GCC unroll 4
	for (int i = 0; i < (int)CELLS; i++) {
		cell[i] = cell_load(i ? &rest[i - 1] : cells);
		if (may_hit && !((cell[i] ^ key) & test))
			return true;
	}
#pragma GCC unroll 4
	for (int i = (int)CELLS - 1; i >= 0; i--) {
		enum quick found;

		if (!cell[i]) {
			empty = i;
			continue;
		}
		found = quick_look(t, cell[i], key, site, &alone);
		if (unlikely(found == QUICK_NOT))
			return false;
		if (found > best) {
			best = found;
			at = i;
		}
	}
	if (best < QUICK_SAME && empty >= 0)
		at = empty;
	else if (best == QUICK_MERGE)
		key |= cell[at] & KEY_BYTES;
	else if (best == QUICK_COUSIN) {
		if (hot && siteset_full) {
			place = cell_place(cell[at]);
			t->lost_cells++;
		} else
			place = place_grown(t, cell[at], site, bytes);
		key |= cell[at] & KEY_BYTES;
	} else {
		if (best == QUICK_KEEP && (flags & ACCESS_WRITE) && list_affordable(site))
			return false;
		if (best == QUICK_KEEP)
			at = (int)(thread_random(t) % CELLS);
		t->lost_cells += best <= QUICK_ORDERED;
	}
	new = cell_make(place, key);
	alone |= !detect_many;
	if (at && goes_first(cell[0], key, collections)) {
		if (unlikely(!move_first(cells, cell, at, alone, collections)))
			return false;
		at = 0;
	}
	if (unlikely(!alone))
		return quick_put(cells, cell, at, new);
	__atomic_store_n(at ? &rest[at - 1] : cells, new, __ATOMIC_RELAXED);
	return true;
}

#endif
