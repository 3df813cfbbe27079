/*
 * record - one access, one granule: is there a conflict? If not, remember it.
 *
 * Where it goes, in this order:
 *   a cell of the same segment and kind   its bytes and sites grow (siteset.c)
 *   a cell it makes superfluous           same thread, kind and site, no byte more, same locks
 *   an empty cell
 *   the cell that is missed least (rank), counted unless the new one speaks for it wholly
 *   nothing suitable, neighbours differ   the granule becomes a list (list.c)
 *
 * A conflict, and a site the plan watches, make the granule a list at once; but a site that
 * has made LISTS_PER_SITE lists makes more only for pairs that are new: a buffer handed over
 * under a lock is one suspicion, not one per granule.
 *
 * I1  Two threads that meet here at once both see each other: a cell is put by
 *     compare-and-swap (a full barrier) and the other cells are read again after it.
 */
#include "rt/detect/internal.h"
#include "rt/detect/quick.h"

/* Why a cell may be replaced; the highest goes first. */
enum rank {
	RANK_NEVER,     /* another thread's, not ordered before us */
	RANK_CURRENT,   /* ours, of this very epoch: it would come right back */
	RANK_OWN,       /* ours, but it says what the new one does not */
	RANK_ORDERED,   /* ordered before us, likewise */
	RANK_COVERED,   /* the new one meets whatever it would meet; only its site is lost */
	RANK_SAME,      /* and the site is the same: nothing is lost */
};

struct look {
	uint64_t cell[CELLS];
	int merge, empty, victim;
	enum rank rank;
	bool conflict;
	bool neighbours;   /* cells with other bytes than ours, writes among us */
};

static enum rank rank_of(const struct touch *x, uint64_t cell, uint64_t key, const struct segment *s, bool own)
{
	uint32_t kind = cell & KEY_KIND, mine = key & KEY_KIND;
	bool covered = !(cell_bytes(cell) & ~cell_bytes(key)) &&
		       (kind == mine || mine == KEY_WRITE || kind == (mine | KEY_ATOMIC)) &&
		       (s->lockset == x->t->lockset || x->t->lockset == LOCKSET_EMPTY);

	if (own && s->epoch == x->t->epoch)
		return RANK_CURRENT;
	if (covered)
		return own && kind == mine && cell_place(cell) == x->site ? RANK_SAME : RANK_COVERED;
	return own ? RANK_OWN : RANK_ORDERED;
}

static bool in_conflict(const struct touch *x, uint64_t cell, uint64_t key)
{
	const struct segment *s = segment_at(cell_segment(cell));

	return s->slot != x->t->slot && (cell_key(cell) & key & KEY_BYTES) && kinds_conflict(cell_key(cell), key) &&
	       clock_get(&x->t->vc, s->slot) < s->epoch && locksets_disjoint(s->lockset, x->t->lockset);
}

static void look_at(const struct touch *x, struct look *look, int i, uint64_t key)
{
	uint64_t cell = look->cell[i];
	const struct segment *s = segment_at(cell_segment(cell));
	bool own = s->slot == x->t->slot, ordered = own;
	enum rank rank = RANK_NEVER;

	look->neighbours |= ((cell ^ key) & KEY_BYTES) && ((cell | key) & KEY_WRITE);
	if (!((cell_key(cell) ^ key) & (KEY_SEGMENT | KEY_KIND))) {
		look->merge = i;
		return;
	}
	if (!own) {
		ordered = clock_get(&x->t->vc, s->slot) >= s->epoch;
		look->conflict |= !ordered && in_conflict(x, cell, key);
	}
	if (ordered)
		rank = rank_of(x, cell, key, s, own);
	if (rank > look->rank) {
		look->rank = rank;
		look->victim = i;
	}
}

static void look_all(const struct touch *x, struct look *look, uint64_t key)
{
	look->merge = look->empty = look->victim = -1;
	look->rank = RANK_NEVER;
	look->conflict = look->neighbours = false;
	for (int i = (int)CELLS - 1; i >= 0; i--) {
		if (!look->cell[i])
			look->empty = i;
		else
			look_at(x, look, i, key);
	}
}

/* Has every pair with the cells been written already? Then another list would teach little. */
static bool conflicts_known(const struct touch *x, const struct look *look, uint64_t key)
{
	struct member members[SITESET_MAX];

	for (unsigned i = 0; i < CELLS; i++) {
		unsigned n = look->cell[i] && in_conflict(x, look->cell[i], key) ?
			     siteset_members(look->cell[i], members) : 0;

		while (n--)
			if ((members[n].bytes & cell_bytes(key)) && !pair_known(x->site, members[n].site))
				return false;
	}
	return true;
}

/* Choose the cell and what becomes of it; -1: make a list. */
static int choose(const struct touch *x, struct look *look, uint64_t key, uint64_t *new)
{
	if (look->merge >= 0) {
		uint64_t cell = look->cell[look->merge];

		*new = cell_make(place_grown(x->t, cell, x->site, cell_bytes(key)), cell_key(cell) | key);
		return look->merge;
	}
	*new = cell_make(x->site, key);
	if (look->rank == RANK_SAME)
		return look->victim;
	if (look->empty >= 0)
		return look->empty;
	if (look->rank == RANK_NEVER && look->neighbours && list_affordable(x->site))
		return -1;
	if (look->rank < RANK_COVERED)
		x->t->lost_cells++;
	if (look->rank != RANK_NEVER)
		return look->victim;
	return (int)(thread_random(x->t) % CELLS);
}

/* After our cell is in: did anybody else's appear meanwhile? */
static bool others_changed(uint64_t *cells, const struct look *look, int mine)
{
	for (int i = 0; i < (int)CELLS; i++)
		if (i != mine && cell_load(cell_at(cells, (unsigned)i)) != look->cell[i])
			return true;
	return false;
}

void record_granule(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	uint64_t key = x->t->key | key_bytes(bytes) | key_kind(x->flags);
	struct look look;
	uint64_t new;
	int i;

	for (unsigned tries = 0; tries < 16; tries++) {
		for (i = 0; i < (int)CELLS; i++)
			look.cell[i] = cell_load(cell_at(cells, (unsigned)i));
		if (cell_is_list(look.cell[0])) {
			list_touch(x, cells, bytes, granule);
			return;
		}
		look_all(x, &look, key);
		if (unlikely(look.conflict) && (list_affordable(x->site) || !conflicts_known(x, &look, key)))
			break;
		if (unlikely(x->watched) && x->record && list_affordable(x->site))
			break;
		if (unlikely(!x->record))
			return;
		i = choose(x, &look, key, &new);
		if (unlikely(i < 0))
			break;
		if (cell_put(cell_at(cells, (unsigned)i), look.cell[i], new) && !(detect_many && others_changed(cells, &look, i)))
			return;
	}
	list_convert(x, cells, bytes, granule);
}

/* The granules of an access, one after the other; the first and last may be partial. */
void record_touch(const struct touch *x)
{
	uintptr_t address = x->address, end = address + x->size;

	if (unlikely(!x->t->key))
		segment_enter(x->t);
	if (unlikely(!x->t->key))
		return;
	while (address < end) {
		uintptr_t granule = address & -(uintptr_t)GRANULE;
		uint32_t bytes = GRANULE_BYTES << (address - granule);
		uint64_t *cells = shadow_cells(granule);

		if (end - granule < GRANULE)
			bytes &= (1u << (end - granule)) - 1;
		if (unlikely(!cells) && !(cells = shadow_make(granule)))
			return;
		bytes &= GRANULE_BYTES;
		if (x->watched || !x->record || !record_quick(x->t, cells, bytes, x->flags, x->site, false, true, x->cold))
			record_granule(x, cells, bytes, granule);
		address = granule + GRANULE;
	}
}
