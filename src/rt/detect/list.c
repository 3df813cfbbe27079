/*
 * list - a granule with a conflict remembers everything, so that all pairs are found.
 *
 * What is remembered is who came (site, kind, bytes) and the ways each came (thread, epoch, locks):
 *
 *   cell 0: place = number of the list, key 0       other cells: empty
 *
 *   list ──► sites   who           │ known: nothing to tell with │ first way
 *        │           7: read  0-7  │ 1 0 1 1 ...  a bit per site │  2
 *        │           9: write 0-7  │ 0 0 1 0 ...                 │  1
 *        └─► ways    1: thread, epoch, locks, stack, next
 *                    2: ...
 *
 * Reads beside reads, other bytes, and a pair that has been told with both stacks: none of it depends on the
 * way, so it is known by a bit, and a touch compares with the ways of few sites. (A list of all (site, way), walked
 * at every touch, was here first: memcached's lists had 530 entries on average, of which 9 could
 * matter, and 71 % of its time went there. One table of (thread, epoch, locks) with bits of sites: half the
 * memory, but 142 of them.)
 *
 * Of one thread, site and lockset only the last epoch is kept: whoever is unordered with the earlier is
 * unordered with the later. Likewise what came without locks speaks for all its thread did there before.
 * So a list is bounded by threads x sites x WAYS to hold locks, not by time; further ways replace
 * older ones, counted.
 *
 * A hot list would cost its lock at every access. When SETTLED touches brought nothing new, who
 * comes by leaves an ordinary cell beside it and hits there from then on; anything new
 * (another segment always is a miss) takes the cells away again.
 *
 * I1  A list is read and changed under its stripe's lock.
 * I2  Cell 0 becomes a list first, then the others are taken over: a thread that puts a
 *     cell there meanwhile is taken over at the next touch.
 * I3  A way names no segment: the collector of segments need not know of lists.
 */
#include "rt/detect/internal.h"

#define STRIPES 256u
#define LISTS_PER_SITE 64u
#define SETTLED 512u
#define WAYS 6u           /* combinations of locks of one thread at one site and kind that are told apart in a list */
#define BANK 64u          /* sites a word of bits tells apart */
#define MOST_SITES 512u
#define MOST_WAYS 50000u  /* numbers are 16 bits; 1 MB */

struct way {
	uint32_t epoch;
	uint32_t lockset;
	uint32_t thread;
	uint32_t stack;   /* 0: none */
	uint16_t slot;
	uint16_t next;    /* of the same site, or of the unused; 0 ends it */
};

/* Sites lie in one piece: ids, then rows of as many words as banks, then the numbers of their first ways. */
struct list {
	uint32_t sites_at;
	uint32_t ways_at;
	uint32_t quiet;       /* touches since anything was new */
	uint16_t site_count, site_room;
	uint16_t way_count, way_room; /* number 0 is no way */
	uint16_t way_unused;
	uint16_t reserved[5];
};
_Static_assert(sizeof(struct list) == PIECE_UNIT, "a list is the smallest piece");
_Static_assert(sizeof(struct way) == 20, "no holes");

static struct rt_lock stripes[STRIPES];

static struct rt_lock *stripe_of(const uint64_t *cells)
{
	return &stripes[(uintptr_t)cells / sizeof(*cells) % STRIPES];
}

/* ---- the two tables of a list --------------------------------------------------------------------- */

static struct list *list_at(uint32_t number)
{
	return piece_at(number);
}

static unsigned banks_of(unsigned room)
{
	return room > BANK ? room / BANK : 1;
}

static size_t sites_size(unsigned room)
{
	return room * (sizeof(uint64_t) * (1 + banks_of(room)) + sizeof(uint16_t));
}

static uint64_t *ids_of(const struct list *list)
{
	return piece_at(list->sites_at);
}

/* The sites that i has nothing to tell with. */
static uint64_t *known_of(const struct list *list, unsigned i)
{
	return ids_of(list) + list->site_room + i * banks_of(list->site_room);
}

static uint16_t *first_of(const struct list *list, unsigned i)
{
	return (uint16_t *)known_of(list, list->site_room) + i;
}

static struct way *way_at(const struct list *list, unsigned number)
{
	return (struct way *)piece_at(list->ways_at) + number;
}

static uint64_t id_make(uint32_t site, uint64_t key)
{
	return (uint64_t)site << 32 | (key & (KEY_BYTES | KEY_KIND));
}

static uint32_t id_site(uint64_t id)
{
	return (uint32_t)(id >> 32);
}

static void list_free(uint32_t number)
{
	struct list *list = list_at(number);

	if (list->site_room)
		piece_free(list->sites_at, sites_size(list->site_room));
	if (list->way_room)
		piece_free(list->ways_at, list->way_room * sizeof(struct way));
	piece_free(number, sizeof(*list));
}

static bool sites_grow(struct list *list)
{
	struct list old = *list;
	unsigned room = old.site_room ? old.site_room * 2u : 3;
	uint32_t piece;

	if (room % 3 == 0 && room > 3)
		room = 8;
	piece = room <= MOST_SITES ? piece_new(sites_size(room)) : 0;
	if (!piece)
		return false;
	list->sites_at = piece;
	list->site_room = (uint16_t)room;
	if (!old.site_room)
		return true;
	for (unsigned i = 0; i < old.site_count; i++) {
		ids_of(list)[i] = ids_of(&old)[i];
		rt_memcpy(known_of(list, i), known_of(&old, i), banks_of(old.site_room) * sizeof(uint64_t));
		*first_of(list, i) = *first_of(&old, i);
	}
	piece_free(old.sites_at, sites_size(old.site_room));
	return true;
}

static void set_known(const struct list *list, unsigned i, unsigned j)
{
	known_of(list, i)[j / BANK] |= 1ull << j % BANK;
	known_of(list, j)[i / BANK] |= 1ull << i % BANK;
}

static RT_NOINLINE int site_enter(struct list *list, uint64_t id)
{
	unsigned n = list->site_count;

	if (n == list->site_room && !sites_grow(list)) {
		rt_count(WIRE_LOST_LISTS);
		return -1;
	}
	ids_of(list)[n] = id;
	for (unsigned i = 0; i <= n; i++) {
		uint64_t other = ids_of(list)[i];

		if (!(id & other & KEY_BYTES) || !kinds_conflict(id, other))
			set_known(list, n, i);
	}
	list->site_count++;
	return (int)n;
}

/*
 * Where a site was found the last time: right or wrong, the site itself says. 8 KiB for all lists, racy by design;
 * memcached's lists have 75 sites each.
 */
#define GUESSES 4096u
static uint16_t guesses[GUESSES];

static RT_NOINLINE int site_search(struct list *list, uint64_t id)
{
	const uint64_t *ids = ids_of(list);

	for (unsigned i = 0; i < list->site_count; i++)
		if (ids[i] == id)
			return (int)i;
	return site_enter(list, id);
}

/* The number of the site; -1: no room, counted. */
static int site_find(struct list *list, uint64_t id)
{
	uint16_t *guess = &guesses[((uintptr_t)list + id * 31) * 0x9e3779b97f4a7c15ull >> 52];
	unsigned i = __atomic_load_n(guess, __ATOMIC_RELAXED);
	int found;

	if (likely(i < list->site_count && ids_of(list)[i] == id))
		return (int)i;
	found = site_search(list, id);
	if (found >= 0)
		__atomic_store_n(guess, (uint16_t)found, __ATOMIC_RELAXED);
	return found;
}
_Static_assert(GUESSES == 1u << 12, "52 bits are shifted out");

static bool ways_grow(struct list *list)
{
	size_t used = list->way_room * sizeof(struct way), size = used ? 2 * piece_size(used) : 2 * PIECE_UNIT;
	unsigned room = (unsigned)(size / sizeof(struct way));
	uint32_t piece = room <= MOST_WAYS ? piece_new(size) : 0;

	if (!piece)
		return false;
	if (used) {
		rt_memcpy(piece_at(piece), way_at(list, 0), used);
		piece_free(list->ways_at, used);
	} else
		list->way_count = 1;
	list->ways_at = piece;
	list->way_room = (uint16_t)room;
	return true;
}

/* A new way of site i; NULL: no memory, counted. */
static struct way *way_add(struct list *list, unsigned i)
{
	uint16_t number = list->way_unused;

	if (number)
		list->way_unused = way_at(list, number)->next;
	else if (list->way_count < list->way_room || ways_grow(list))
		number = list->way_count++;
	else {
		rt_count(WIRE_LOST_LISTS);
		return NULL;
	}
	way_at(list, number)->stack = 0;
	way_at(list, number)->next = *first_of(list, i);
	*first_of(list, i) = number;
	return way_at(list, number);
}

/* ---- cells become ways ------------------------------------------------------------------------------ */

static void take_over_member(struct list *list, const struct segment *s, uint32_t site, uint64_t key)
{
	int i = site_find(list, id_make(site, key));
	struct way *way;

	if (i < 0)
		return;
	for (unsigned n = *first_of(list, (unsigned)i); n; n = way->next) {
		way = way_at(list, n);
		if (way->slot == s->slot && way->lockset == s->lockset && way->epoch >= s->epoch)
			return;
	}
	way = way_add(list, (unsigned)i);
	if (way)
		*way = (struct way){ s->epoch, s->lockset, s->thread, 0, (uint16_t)s->slot, way->next };
}

/* Cells found beside a list, or before it. */
static void take_over(struct list *list, uint64_t cell)
{
	struct member members[SITESET_MAX];
	unsigned n = siteset_members(cell, members);
	uint32_t known = 0;

	for (unsigned i = 0; i < n; i++) {
		uint32_t bytes = members[i].bytes & cell_bytes(cell);

		known |= bytes;
		if (bytes)
			take_over_member(list, segment_at(cell_segment(cell)), members[i].site,
					 (cell_key(cell) & KEY_KIND) | key_bytes(bytes));
	}
	if (cell_bytes(cell) & ~known)
		rt_count(WIRE_LOST_SITES); /* bytes whose site found no room in siteset.c */
}

static void take_over_rest(struct list *list, uint64_t *cells)
{
	uint64_t *rest = cells_rest(cells);

	for (unsigned i = 0; i < CELLS_REST; i++)
		if (cell_load(&rest[i])) {
			uint64_t cell = __atomic_exchange_n(&rest[i], 0, __ATOMIC_SEQ_CST);

			if (cell && !cell_is_list(cell))
				take_over(list, cell);
		}
}

/* ---- a touch -------------------------------------------------------------------------------------------- */

static bool is_parallel(const struct touch *x, const struct way *way)
{
	return way->slot != x->t->slot && clock_get(&x->t->vc, way->slot) < way->epoch &&
	       locksets_disjoint(way->lockset, x->t->lockset);
}

/* Against all ways of site j. True when nothing is left to tell of the pair. */
static bool check_site(const struct touch *x, const struct list *list, unsigned j, uint32_t bytes, uintptr_t granule)
{
	uint64_t id = ids_of(list)[j];
	const struct way *way;

	for (unsigned n = *first_of(list, j); n; n = way->next) {
		way = way_at(list, n);
		if (unlikely(is_parallel(x, way)) &&
		    pair_report(x, &(struct other){ id_site(id), way->stack, way->thread, way->lockset },
				cell_bytes(id) & bytes, granule))
			return true;
	}
	return false;
}

static void check(const struct touch *x, const struct list *list, unsigned i, uint64_t key, uintptr_t granule)
{
	const uint64_t *known = known_of(list, i);

	for (unsigned first = 0; first < list->site_count; first += BANK) {
		uint64_t todo = ~known[first / BANK];

		if (list->site_count - first < BANK)
			todo &= (1ull << (list->site_count - first)) - 1;
		for (; todo; todo &= todo - 1) {
			unsigned j = first + (unsigned)__builtin_ctzll(todo);

			if (check_site(x, list, j, cell_bytes(key), granule))
				set_known(list, i, j);
		}
	}
}

/* Without a number of our own: what only looks (free, a pause of the sampler), or found no room. */
static void check_only(const struct touch *x, const struct list *list, uint64_t key, uintptr_t granule)
{
	for (unsigned j = 0; j < list->site_count; j++)
		if ((ids_of(list)[j] & key & KEY_BYTES) && kinds_conflict(ids_of(list)[j], key))
			check_site(x, list, j, cell_bytes(key), granule);
}

static void settle(const struct touch *x, uint64_t *cells, struct list *list, uint64_t key)
{
	if (list->quiet < SETTLED)
		list->quiet++;
	else if (!x->watched)
		__atomic_store_n(&cells_rest(cells)[x->t->slot % CELLS_REST], cell_make(x->site, key), __ATOMIC_RELAXED);
}

static void unsettle(uint64_t *cells, struct list *list)
{
	if (list->quiet >= SETTLED)
		for (unsigned i = 0; i < CELLS_REST; i++)
			__atomic_store_n(&cells_rest(cells)[i], 0, __ATOMIC_RELAXED);
	list->quiet = 0;
}

/*
 * Ways one thread came by this site: with item 1 locked, with item 2 locked ... A program with a thousand
 * such locks would fill the list, and every touch compares with all of it. Of WAYS the oldest with no
 * fewer locks than the newcomer makes room: who is unordered and shares no lock with it shares, but for odd
 * combinations, none with one of the others either. Counted.
 */
static uint32_t lock_count(uint32_t set)
{
	uint32_t count = 0;

	if (set != LOCKSET_EMPTY)
		lockset_elements(set, &count);
	return count;
}

struct ours {
	struct way *same;   /* with these very locks */
	unsigned others;
};

/* The ones with these locks move to the front: they will come again. Without locks, all others count. */
static struct ours our_ways(const struct touch *x, const struct list *list, unsigned i)
{
	uint16_t *first = first_of(list, i), *link = first;
	struct ours ours = { 0 };

	while (*link && !(ours.same && x->t->lockset != LOCKSET_EMPTY)) {
		struct way *way = way_at(list, *link);

		if (way->slot == x->t->slot && way->lockset == x->t->lockset) {
			uint16_t number = *link;

			*link = way->next;
			way->next = *first;
			*first = number;
			ours.same = way;
			if (link == first)
				link = &way->next;
			continue;
		}
		ours.others += way->slot == x->t->slot;
		link = &way->next;
	}
	return ours;
}

static struct way *oldest_way(const struct touch *x, const struct list *list, unsigned i)
{
	uint32_t locks = lock_count(x->t->lockset);
	struct way *oldest = NULL, *way;

	for (unsigned n = *first_of(list, i); n; n = way->next) {
		way = way_at(list, n);
		if (way->slot == x->t->slot && lock_count(way->lockset) >= locks && (!oldest || way->epoch < oldest->epoch))
			oldest = way;
	}
	return oldest;
}

/* What came without locks speaks for what came with some. */
static void drop_others(const struct touch *x, struct list *list, unsigned i, const struct way *same)
{
	for (uint16_t *link = first_of(list, i); *link;) {
		uint16_t number = *link;
		struct way *way = way_at(list, number);

		if (way->slot != x->t->slot || way == same) {
			link = &way->next;
			continue;
		}
		*link = way->next;
		way->next = list->way_unused;
		list->way_unused = number;
	}
}

static void remember(const struct touch *x, struct list *list, unsigned i, const struct ours *ours)
{
	struct way *way = ours->same;
	uint32_t stack;

	if (ours->others && x->t->lockset == LOCKSET_EMPTY)
		drop_others(x, list, i, way);
	else if (!way && ours->others >= WAYS) {
		rt_count(WIRE_LOST_CELLS);
		way = oldest_way(x, list, i);
		if (!way)
			return;
	}
	if (!way && !(way = way_add(list, i)))
		return;
	stack = way->stack && way->thread == x->t->id ? way->stack : stack_take(x);
	*way = (struct way){ x->t->epoch, x->t->lockset, x->t->id, stack, (uint16_t)x->t->slot, way->next };
}

static void touch_list(const struct touch *x, uint64_t *cells, struct list *list, uint64_t key, uintptr_t granule)
{
	int i = x->record ? site_find(list, id_make(x->site, key)) : -1;
	struct ours ours;

	if (i < 0) {
		unsettle(cells, list);
		check_only(x, list, key, granule);
		return;
	}
	ours = our_ways(x, list, (unsigned)i);
	/* Whoever came after us has checked against us. */
	if (ours.same && ours.same->epoch == x->t->epoch && ours.same->stack) {
		settle(x, cells, list, key);
		return;
	}
	unsettle(cells, list);
	check(x, list, (unsigned)i, key, granule);
	remember(x, list, (unsigned)i, &ours);
}

static void touch_locked(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	uint64_t head = cell_load(&cells[0]);
	struct list *list;

	if (!cell_is_list(head))
		return;
	list = list_at(cell_place(head));
	if (list->quiet < SETTLED)
		take_over_rest(list, cells);
	touch_list(x, cells, list, x->t->key | key_bytes(bytes) | key_kind(x->flags), granule);
}

void list_touch(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	rt_lock(stripe_of(cells));
	touch_locked(x, cells, bytes, granule);
	rt_unlock(stripe_of(cells));
}

/* ---- a granule becomes a list, and ceases to be one --------------------------------------------------------- */

static void note_listed(uintptr_t granule)
{
	__atomic_store_n(&shadow.listed[shadow.direct ? chunk_of(granule) : granule >> CHUNK_BITS], 1, __ATOMIC_SEQ_CST);
	rt_count(WIRE_LISTED_GRANULES);
}

/* No room for a list: at least the pairs with the cells as they are. */
static void check_cell(const struct touch *x, uint64_t cell, uint64_t key, uintptr_t granule)
{
	struct member members[SITESET_MAX];
	const struct segment *s = segment_at(cell_segment(cell));
	unsigned n = siteset_members(cell, members);

	if (!kinds_conflict(cell, key) || s->slot == x->t->slot || clock_get(&x->t->vc, s->slot) >= s->epoch ||
	    !locksets_disjoint(s->lockset, x->t->lockset))
		return;
	for (unsigned j = 0; j < n; j++) {
		uint32_t overlap = members[j].bytes & cell_bytes(cell) & cell_bytes(key);

		if (overlap)
			pair_report(x, &(struct other){ members[j].site, 0, s->thread, s->lockset }, overlap, granule);
	}
}

static void check_cells(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	for (unsigned i = 0; i < CELLS; i++) {
		uint64_t cell = cell_load(cell_at(cells, i));

		if (cell_key(cell))
			check_cell(x, cell, x->t->key | key_bytes(bytes) | key_kind(x->flags), granule);
	}
}

bool list_affordable(uint32_t site)
{
	return site_at(site)->lists < LISTS_PER_SITE;
}

void list_convert(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule)
{
	uint32_t number = x->record ? piece_new(sizeof(struct list)) : 0;
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
		list_free(number);
	else {
		note_listed(granule);
		site_at(x->site)->lists++;
		head = __atomic_exchange_n(&cells[0], cell_make(number, 0), __ATOMIC_SEQ_CST);
		if (head)
			take_over(list_at(number), head);
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
		list_free(cell_place(head));
	rt_unlock(stripe_of(cells));
}
