/*
 * list - a granule with a conflict remembers everything, so that all pairs are found.
 *
 * An entry is one (segment, site, kind, bytes) and, taken when the entry is made, a stack.
 * Entries of one thread, site, kind and lockset are one: a later epoch replaces an earlier one
 * (whoever is unordered with the earlier is unordered with the later), so a list is bounded
 * by threads x sites x WAYS to hold locks, not by time; further ways replace older ones, counted.
 *
 *   cell 0: place = number of the first block, key 0       other cells: empty
 *   block: 7 entries, number of the next block
 *
 * A hot list would cost its lock at every access. When SETTLED touches brought nothing new, who
 * comes by leaves an ordinary cell beside it and hits there from then on; anything new
 * (another segment always is a miss) takes the cells away again.
 *
 * I1  A list is read and changed under its stripe's lock.
 * I2  Cell 0 becomes a list first, then the others are taken over: a thread that puts a
 *     cell there meanwhile is taken over at the next touch.
 */
#include "rt/detect/internal.h"

#define STRIPES 256u
#define BLOCKS (1u << 20) /* 128 MiB at the very most */
#define PER_BLOCK 7u
#define LISTS_PER_SITE 64u
#define SETTLED 512u
#define LONGEST 512u /* blocks of one list: 3,584 entries */
#define WAYS 6u      /* combinations of locks of one thread at one site and kind that are told apart in a list */

struct entry {
	uint64_t cell;  /* place is one site */
	uint32_t stack;
	uint32_t reserved;
};

struct block_of_entries {
	struct entry entry[PER_BLOCK];
	uint32_t count;
	uint32_t next;   /* 0: none */
	uint32_t quiet;  /* of the first block: touches since anything was new */
	uint32_t reserved;
};

static struct rt_lock stripes[STRIPES];
static struct {
	struct rt_lock lock;
	struct block_of_entries *blocks;
	uint32_t made;    /* numbers below it were handed out */
	uint32_t free;    /* chain by next */
} pool = { .made = 1 };

static struct rt_lock *stripe_of(const uint64_t *cells)
{
	return &stripes[(uintptr_t)cells / sizeof(*cells) % STRIPES];
}

static struct block_of_entries *block_at(uint32_t number)
{
	return &pool.blocks[number];
}

static uint32_t block_new(void)
{
	uint32_t number = 0;

	rt_lock(&pool.lock);
	if (!pool.blocks)
		pool.blocks = rt_reserve(BLOCKS * sizeof(*pool.blocks), false);
	if (pool.free) {
		number = pool.free;
		pool.free = block_at(number)->next;
	} else if (pool.blocks && pool.made < BLOCKS)
		number = pool.made++;
	if (number) {
		block_at(number)->count = 0;
		block_at(number)->next = 0;
		block_at(number)->quiet = 0;
	}
	rt_unlock(&pool.lock);
	return number;
}

static void blocks_free(uint32_t number)
{
	rt_lock(&pool.lock);
	while (number) {
		uint32_t next = block_at(number)->next;

		block_at(number)->count = 0;
		block_at(number)->next = pool.free;
		pool.free = number;
		number = next;
	}
	rt_unlock(&pool.lock);
}

static void append(uint32_t number, uint64_t cell, uint32_t stack)
{
	struct block_of_entries *block = block_at(number);

	for (unsigned length = 1; block->count == PER_BLOCK; length++) {
		if (!block->next && (length >= LONGEST || !(block->next = block_new()))) {
			rt_count(WIRE_LOST_LISTS);
			return;
		}
		block = block_at(block->next);
	}
	block->entry[block->count] = (struct entry){ .cell = cell, .stack = stack };
	block->count++;
}

/* Cells found beside a list, or before it: one entry per site. */
static void take_over(uint32_t number, uint64_t cell)
{
	struct member members[SITESET_MAX];
	unsigned n = siteset_members(cell, members);
	uint32_t known = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t bytes = members[i].bytes & cell_bytes(cell);

		known |= bytes;
		if (bytes)
			append(number, cell_make(members[i].site, (cell_key(cell) & ~KEY_BYTES) |
						 key_bytes(bytes)), 0);
	}
	if (cell_bytes(cell) & ~known)
		rt_count(WIRE_LOST_SITES); /* bytes whose site found no room in siteset.c */
}

static void take_over_rest(uint32_t number, uint64_t *cells)
{
	uint64_t *rest = cells_rest(cells);

	for (unsigned i = 0; i < CELLS_REST; i++)
		if (cell_load(&rest[i])) {
			uint64_t cell = __atomic_exchange_n(&rest[i], 0, __ATOMIC_SEQ_CST);

			if (cell && !cell_is_list(cell))
				take_over(number, cell);
		}
}

static bool same_locks(const struct segment *a, const struct segment *b)
{
	return a->slot == b->slot && a->thread == b->thread && a->lockset == b->lockset;
}

enum found { FOUND_NOT, FOUND_OLDER, FOUND_SAME };

/* Is the entry the same thread's doing at the same site? Then it is brought up to date. */
static enum found update(const struct touch *x, struct entry *e, uint64_t key)
{
	uint64_t old = cell_key(e->cell);

	if (cell_place(e->cell) != x->site || ((old ^ key) & KEY_KIND))
		return FOUND_NOT;
	if (!((old ^ key) & KEY_SEGMENT)) {
		bool known = !(key & KEY_BYTES & ~old) && (e->stack || !x->record);

		e->cell |= key & KEY_BYTES;
		if (!e->stack)
			e->stack = stack_take(x);
		return known ? FOUND_SAME : FOUND_OLDER;
	}
	if ((old & ~key & KEY_BYTES) ||
	    !same_locks(segment_at(cell_segment(e->cell)), segment_at(cell_segment(key))))
		return FOUND_NOT;
	e->cell = cell_make(x->site, key);
	if (!e->stack)
		e->stack = stack_take(x);
	return FOUND_OLDER;
}

static void check(const struct touch *x, const struct entry *e, uint64_t key, uintptr_t granule)
{
	const struct segment *s = segment_at(cell_segment(e->cell));
	uint32_t overlap = cell_bytes(e->cell) & cell_bytes(key);

	if (!overlap || s->slot == x->t->slot || !kinds_conflict(cell_key(e->cell), key))
		return;
	if (clock_get(&x->t->vc, s->slot) >= s->epoch || !locksets_disjoint(s->lockset, x->t->lockset))
		return;
	pair_report(x, &(struct other){ e->cell, cell_place(e->cell), e->stack }, overlap, granule);
}

static void settle(const struct touch *x, uint64_t *cells, uint32_t number, uint64_t key)
{
	if (block_at(number)->quiet < SETTLED)
		block_at(number)->quiet++;
	else if (!x->watched)
		__atomic_store_n(&cells_rest(cells)[x->t->slot % CELLS_REST], cell_make(x->site, key), __ATOMIC_RELAXED);
}

static void unsettle(uint64_t *cells, uint32_t number)
{
	if (block_at(number)->quiet >= SETTLED)
		for (unsigned i = 0; i < CELLS_REST; i++)
			__atomic_store_n(&cells_rest(cells)[i], 0, __ATOMIC_RELAXED);
	block_at(number)->quiet = 0;
}

/*
 * Ways one thread came by this site: with item 1 locked, with item 2 locked ... A program with a thousand
 * such locks would fill the list, and every touch compares with all of it. Of WAYS the oldest with no
 * fewer locks than the newcomer makes room: who is unordered and shares no lock with it shares, but for odd
 * combinations, none with one of the others either. Counted.
 */
struct ways {
	unsigned count;
	struct entry *oldest;
};

static uint32_t lock_count(uint32_t set)
{
	uint32_t count = 0;

	if (set != LOCKSET_EMPTY)
		lockset_elements(set, &count);
	return count;
}

static void note_way(const struct touch *x, struct ways *ways, struct entry *e, uint64_t key)
{
	const struct segment *s = segment_at(cell_segment(e->cell));

	if (cell_place(e->cell) != x->site || ((cell_key(e->cell) ^ key) & KEY_KIND) || s->slot != x->t->slot ||
	    (cell_key(e->cell) & ~key & KEY_BYTES))
		return;
	ways->count++;
	if (lock_count(s->lockset) >= lock_count(x->t->lockset) &&
	    (!ways->oldest || s->epoch < segment_at(cell_segment(ways->oldest->cell))->epoch))
		ways->oldest = e;
}

static void add_entry(const struct touch *x, uint32_t number, uint64_t key)
{
	struct ways ways = { 0 };

	for (uint32_t n = number; n; n = block_at(n)->next)
		for (uint32_t i = 0; i < block_at(n)->count; i++)
			note_way(x, &ways, &block_at(n)->entry[i], key);
	if (ways.count < WAYS) {
		append(number, cell_make(x->site, key), stack_take(x));
		return;
	}
	rt_count(WIRE_LOST_CELLS);
	if (ways.oldest)
		ways.oldest->cell = cell_make(x->site, key);
}

static void touch_entries(const struct touch *x, uint64_t *cells, uint32_t number, uint64_t key, uintptr_t granule)
{
	enum found found = FOUND_NOT;

	for (uint32_t n = number; n && x->record; n = block_at(n)->next)
		for (uint32_t i = 0; i < block_at(n)->count && found == FOUND_NOT; i++)
			found = update(x, &block_at(n)->entry[i], key);
	/* Whoever came after us has checked against us. */
	if (found == FOUND_SAME) {
		settle(x, cells, number, key);
		return;
	}
	unsettle(cells, number);
	for (uint32_t n = number; n; n = block_at(n)->next)
		for (uint32_t i = 0; i < block_at(n)->count; i++)
			check(x, &block_at(n)->entry[i], key, granule);
	if (found == FOUND_NOT && x->record)
		add_entry(x, number, key);
}

static void touch_locked(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	uint64_t head = cell_load(&cells[0]);

	if (!cell_is_list(head))
		return;
	if (block_at(cell_place(head))->quiet < SETTLED)
		take_over_rest(cell_place(head), cells);
	touch_entries(x, cells, cell_place(head), x->t->key | key_bytes(bytes) | key_kind(x->flags), granule);
}

void list_touch(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	rt_lock(stripe_of(cells));
	touch_locked(x, cells, bytes, granule);
	rt_unlock(stripe_of(cells));
}

static void note_listed(uintptr_t granule)
{
	__atomic_store_n(&shadow.listed[shadow.direct ? chunk_of(granule) : granule >> CHUNK_BITS], 1, __ATOMIC_SEQ_CST);
	rt_count(WIRE_LISTED_GRANULES);
}

/* No room for a list: at least the pairs with the cells as they are. */
static void check_cells(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	struct member members[SITESET_MAX];

	for (unsigned i = 0; i < CELLS; i++) {
		uint64_t cell = cell_load(cell_at(cells, i));
		unsigned n = cell_key(cell) ? siteset_members(cell, members) : 0;

		for (unsigned j = 0; j < n; j++) {
			struct entry e = { cell_make(members[j].site, (cell_key(cell) & ~KEY_BYTES) |
					   key_bytes(members[j].bytes & cell_bytes(cell))), 0, 0 };

			check(x, &e, x->t->key | key_bytes(bytes) | key_kind(x->flags), granule);
		}
	}
}

bool list_affordable(uint32_t site)
{
	return site_at(site)->lists < LISTS_PER_SITE;
}

void list_convert(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	uint32_t number = x->record ? block_new() : 0;
	uint64_t head;

	if (!number) {
		if (x->record)
			rt_count(WIRE_LOST_LISTS);
		check_cells(x, cells, bytes, granule);
		return;
	}
	rt_lock(stripe_of(cells));
	head = cell_load(&cells[0]);
	if (cell_is_list(head))
		blocks_free(number);
	else {
		note_listed(granule);
		site_at(x->site)->lists++;
		head = __atomic_exchange_n(&cells[0], cell_make(number, 0), __ATOMIC_SEQ_CST);
		if (head)
			take_over(number, head);
	}
	touch_locked(x, cells, bytes, granule);
	rt_unlock(stripe_of(cells));
}

void list_forget(uint64_t *cells)
{
	uint64_t head;

	rt_lock(stripe_of(cells));
	head = __atomic_exchange_n(&cells[0], 0, __ATOMIC_SEQ_CST);
	if (cell_is_list(head))
		blocks_free(cell_place(head));
	rt_unlock(stripe_of(cells));
}

void lists_each(void (*visit)(uint64_t cell))
{
	for (uint32_t n = 1; pool.blocks && n < __atomic_load_n(&pool.made, __ATOMIC_ACQUIRE); n++)
		for (uint32_t i = 0; i < block_at(n)->count; i++)
			visit(block_at(n)->entry[i].cell);
}
