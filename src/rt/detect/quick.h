/*
 * quick - the usual miss: no conflict, a cell to be had. Inline in both its users: access.c
 * (misses of patched sites) and record.c (everything else tries it first).
 *
 * Tried and left: a bit in the first cell saying that the rest is empty, or of the same thread, so that a miss need not
 * read it. zstd 0 to 3 % faster, pbzip2 7 to 13 % slower (least CPU time of 4 alternating rounds, machine loaded): what misses mostly
 * has cells of two kinds, and the look at the bit is one branch more that nobody can foretell.
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

/* The place of a cell that takes another site in; without it if there is no room for the set. */
static inline uint32_t place_grown(struct detect_thread *t, uint64_t cell, uint32_t site, uint32_t bytes)
{
	uint32_t place = cell_place(cell);

	if (place != site)
		place = siteset_add(cell, site, bytes);
	if (likely(place))
		return place;
	t->lost_cells++;
	return siteset_keep(cell);
}

/*
 * What look_all and choose would find in the cases that make up nearly all misses: our own
 * cells, cells ordered before us, reads beside reads, room. In one pass, without a conflict.
 */
enum quick {
	QUICK_NOT,      /* may be a conflict, or a list */
	QUICK_KEEP,     /* stays */
	QUICK_LESS,     /* ours of an earlier epoch: can be spared (counted) */
	QUICK_PART,     /* ours of an earlier epoch, same locks and kind, but more bytes: likewise */
	QUICK_ORDERED,  /* another thread's, ordered before us: likewise */
	QUICK_OLD,      /* ours of an earlier epoch, and the new one says all it says but the site */
	QUICK_SAME,     /* ... and the site: take it */
	QUICK_COUSIN,   /* our segment and kind, another site: can take us in by a set */
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
		if (s->lockset != t->lockset || (differs & KEY_KIND))
			return QUICK_LESS;
		if (cell & ~key & KEY_BYTES)
			return QUICK_PART;
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

static inline bool memo_fits(const struct memo *last, const uint64_t *cell, uint32_t collections)
{
	return last->collections == collections &&
	       !((cell[0] ^ last->seen[0]) | (cell[1] ^ last->seen[1]) | (cell[2] ^ last->seen[2]) |
		 (cell[3] ^ last->seen[3]));
}
_Static_assert(CELLS == 4, "memo_fits compares four");

/* Code whose neighbours do not look alike (a sort) writes a memo at every MEMO_RESTS-th miss only. */
#define MEMO_RESTS 7u

static inline bool is_due(uint8_t *rests)
{
	if (*rests) {
		(*rests)--;
		return false;
	}
	*rests = MEMO_RESTS;
	return true;
}

static RT_NOINLINE void memo_write(struct memo *last, const uint64_t *cell, const struct memo *what)
{
	*last = *what;
	for (unsigned i = 0; i < CELLS; i++)
		last->seen[i] = cell[i];
}

/* Put the new cell at its place, or before the first, which then goes there. */
static RT_NOINLINE bool memo_repeat(struct detect_thread *t, struct memo *last, uint64_t *cells, uint64_t *cell)
{
	int at = last->at;

	t->lost_cells += last->lost;
	last->rests = 0;
	if (last->moves) {
		if (unlikely(!move_first(cells, cell, at, last->alone, last->collections)))
			return false;
		at = 0;
	}
	if (unlikely(!last->alone))
		return quick_put(cells, cell, at, last->new);
	__atomic_store_n(cell_at(cells, (unsigned)at), last->new, __ATOMIC_RELAXED);
	return true;
}

/*
 * False: nothing was done, or it was done and somebody else's cell appeared meanwhile: use
 * record_granule.
 * may_hit: nobody has looked yet whether the cells say it all already: an access over several granules. Those come
 * in rows, and are worth a memo (ranges) or a twin (two granules, access.c); others are not: pigz and pbzip2 lost 5 % by it.
 * exact: they say it only if they name the site, too (a second statement on the same variable, before anybody else
 * comes by): the first visits of a site.
 * hot: from a patched site, which will come by again. Then a granule with cells of ours only is
 * written by a plain store; two threads that meet there in that very moment may overwrite
 * each other's first cell and see each other the next time. Compare-and-swap everywhere cost
 * 8 to 10 % of a run full of misses (pigz, a relaxation), 3 runs each on a loaded machine.
 * There, a cell that grew may make one of an earlier epoch superfluous (halves of a granule, one after the other).
 * And when no set can be made a hot site adds its bytes without its name (siteset.c), a cold one takes a cell.
 */
static inline __attribute__((always_inline))
bool record_quick(struct detect_thread *t, uint64_t *cells, uint32_t bytes, unsigned flags, uint32_t site, bool hot,
		  bool may_hit, bool exact)
{
	const uint64_t test = KEY_SEGMENT | KEY_KIND | key_bytes(bytes);
	uint32_t collections = __atomic_load_n(&segment_collections, __ATOMIC_ACQUIRE);
	uint64_t *rest = cells_rest(cells);
	uint64_t key = t->key | key_bytes(bytes) | key_kind(flags), asked = key, cell[CELLS], new;
	struct memo *last = &t->memos[(site ^ bytes >> 6) % MEMOS];
	enum quick best = QUICK_NOT;
	uint32_t place = site;
	int at = -1, empty = -1, old = -1;
	bool alone = hot, lost = false, moves;

#pragma GCC unroll 4
	for (int i = 0; i < (int)CELLS; i++) {
		cell[i] = cell_load(i ? &rest[i - 1] : cells);
		if (may_hit && !((cell[i] ^ key) & test) && (!exact || cell_place(cell[i]) == site))
			return true;
	}
	if (may_hit && !hot && last->key == key && last->site == site && memo_fits(last, cell, collections))
		return memo_repeat(t, last, cells, cell);
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
		if (hot && (found == QUICK_PART || found == QUICK_OLD || found == QUICK_SAME))
			old = i;
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
		place = siteset_full ? 0 : siteset_add(cell[at], site, bytes);
		if (unlikely(!place && empty >= 0 && !hot)) {
			place = site;
			at = empty;
		} else {
			if (unlikely(!place)) {
				place = siteset_keep(cell[at]);
				lost = true;
			}
			key |= cell[at] & KEY_BYTES;
			if (may_hit && cell_make(place, key) == cell[at]) {
				t->lost_cells += lost;
				return true;
			}
		}
	} else {
		if (best == QUICK_KEEP && (flags & ACCESS_WRITE) && list_affordable(site))
			return false;
		if (best == QUICK_KEEP)
			at = (int)(thread_random(t) % CELLS);
		lost = best <= QUICK_ORDERED;
	}
	t->lost_cells += lost;
	new = cell_make(place, key);
	moves = at && goes_first(cell[0], key, collections);
	alone |= !detect_many;
	if (may_hit && !hot && best != QUICK_KEEP && is_due(&last->rests))
		memo_write(last, cell, &(struct memo){ .key = asked, .new = new, .site = site, .collections = collections,
			   .at = (int8_t)at, .moves = moves, .alone = alone, .lost = lost, .rests = MEMO_RESTS });
	if (moves) {
		if (unlikely(!move_first(cells, cell, at, alone, collections)))
			return false;
		at = 0;
	}
	if (unlikely(!alone))
		return quick_put(cells, cell, at, new);
	if (hot && old > 0 && best >= QUICK_COUSIN && !(cell[old] & ~key & KEY_BYTES))
		__atomic_store_n(&rest[old - 1], 0, __ATOMIC_RELAXED);
	__atomic_store_n(at ? &rest[at - 1] : cells, new, __ATOMIC_RELAXED);
	return true;
}

#endif
