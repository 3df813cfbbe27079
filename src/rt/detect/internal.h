/*
 * internal - what the files of the detector share (DESIGN 6). The path of an access:
 *
 *   blob.c   entry points the program calls: hit? return         (a handful of instructions)
 *   access.c first visits, misses: who, where, which site
 *   record.c one granule: conflict? else remember it in a cell
 *   list.c   the granule had a conflict: remember everything, find every pair (memory: piece.c)
 *   pair.c   a new pair of sites goes to the wire at once
 *
 * beside it: segment.c clock.c lockset.c (what "ordered" and "protected" mean), sync.c
 * thread.c atomic.c lock.c (the events that change it), shadow.c memory.c (where it is
 * kept and when it is forgotten), site.c siteset.c (who it was), order.c (deadlocks).
 *
 * The rule. Two accesses of different threads to overlapping bytes, one a write, not both
 * atomic, locksets disjoint (race/lock.h), and neither ordered before the other by create,
 * join, send/receive. Locks order nothing (hybrid: other schedules may take them in another
 * order), unless the plan asks for the rule "hb". Atomic release/acquire pairs DO order in the
 * hybrid rule: unlike a lock they are a message (the reader acts on what it read), another
 * schedule cannot turn the message round, and dropping the edge would only add suspicions
 * that confirm can never confirm.
 */
#ifndef RT_DETECT_INTERNAL_H
#define RT_DETECT_INTERNAL_H

#include "rt/rt.h"

/* ---- words where threads meet ------------------------------------------------ */

/*
 * Shadow: 16 bytes of the program have a granule of 4 cells, the first apart from the others
 * (shadow.c). A cell is 64 bits:
 *
 *   63            40 39        18 17     2     1        0
 *   +---------------+------------+--------+---------+--------+
 *   | place         | segment    | bytes  | write   | atomic |
 *   +---------------+------------+--------+---------+--------+
 *                    `------------- key --------------------'
 * place: a site, or a set of (site, bytes) when PLACE_SET is set, which alone is the set of none. 0: no cell.
 * key 0 and place not 0: the granule is a list, place is its number (only cell 0).
 *
 * Against 8 bytes with 3 cells (tried first): two thirds of the shadow, no granule straddles a
 * cache line, four readers fit; two neighbours share the cells, which siteset.c makes up for.
 * No gain in time was shown: pigz and pbzip2 were no faster at the change.
 *
 * I1  A cell is only ever written whole; while several threads live, by compare-and-swap.
 * I2  The segment of a cell was the current one of the thread that wrote it at that moment
 *     (segment.c's collector rests on this).
 *     Cells also move, from the first place to another, unless a collection is on (quick.h).
 * I3  "This segment, kind and bytes are there" = ((cell ^ key) & (SEGMENT|KIND|my bytes)) == 0:
 *     sites are not compared, so a granule keeps the first site of each; a list keeps all.
 */
#define GRANULE 16u
#define GRANULE_BYTES 0xffffu
#define CELLS 4u
#define CELLS_REST (CELLS - 1)
#define KEY_ATOMIC 1u
#define KEY_WRITE 2u
#define KEY_KIND 3u
#define KEY_BYTES_SHIFT 2
#define KEY_BYTES ((uint64_t)GRANULE_BYTES << KEY_BYTES_SHIFT)
#define KEY_SEGMENT_SHIFT 18
#define SEGMENT_BITS 22
#define SEGMENT_MAX (1u << SEGMENT_BITS)
#define KEY_SEGMENT ((uint64_t)(SEGMENT_MAX - 1) << KEY_SEGMENT_SHIFT)
#define KEY_BITS (SEGMENT_BITS + KEY_SEGMENT_SHIFT)
#define KEY_ALL (((uint64_t)1 << KEY_BITS) - 1)
#define PLACE_BITS 24
#define PLACE_SET (1u << (PLACE_BITS - 1))

_Static_assert(PLACE_BITS + KEY_BITS == 64, "a cell is 64 bits");
_Static_assert((unsigned)ACCESS_WRITE << 1 == KEY_WRITE && (unsigned)ACCESS_ATOMIC >> 1 == KEY_ATOMIC,
	       "key_kind turns flags into bits");

static inline uint64_t key_kind(unsigned flags)
{
	return (flags & ACCESS_WRITE) << 1 | (flags & ACCESS_ATOMIC) >> 1;
}

static inline uint64_t key_bytes(uint32_t bytes)
{
	return (uint64_t)bytes << KEY_BYTES_SHIFT;
}

static inline uint64_t cell_make(uint32_t place, uint64_t key)
{
	return (uint64_t)place << KEY_BITS | key;
}

static inline uint64_t cell_key(uint64_t cell)
{
	return cell & KEY_ALL;
}

static inline uint32_t cell_place(uint64_t cell)
{
	return (uint32_t)(cell >> KEY_BITS);
}

static inline uint32_t cell_segment(uint64_t cell)
{
	return (uint32_t)(cell_key(cell) >> KEY_SEGMENT_SHIFT);
}

static inline uint32_t cell_bytes(uint64_t cell)
{
	return (uint32_t)(cell >> KEY_BYTES_SHIFT) & GRANULE_BYTES;
}

static inline bool cell_is_list(uint64_t cell)
{
	return !cell_key(cell) && cell;
}

static inline uint64_t cell_load(const uint64_t *cell)
{
	return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

/* May two kinds of access conflict at all? */
static inline bool kinds_conflict(uint64_t a, uint64_t b)
{
	return ((a | b) & KEY_WRITE) && !(a & b & KEY_ATOMIC);
}

/* ---- clocks (clock.c) ----------------------------------------------------------- */

/* By slot, see thread.c; what lies beyond size is 0. */
struct clock {
	uint32_t *at;
	uint32_t size;
};

static inline uint32_t clock_get(const struct clock *clock, uint32_t slot)
{
	return slot < clock->size ? clock->at[slot] : 0;
}
void clock_set(struct clock *clock, uint32_t slot, uint32_t value);
/* Returns true when into changed. */
bool clock_join(struct clock *into, const struct clock *from);
void clock_free(struct clock *clock);

/* ---- locks and locksets (lockset.c, lock.c) ----------------------------------------- */

#define LOCKSET_EMPTY 0u

/* An element is a lock's ordinal << 1 | mode. */
uint32_t lockset_add(uint32_t set, uint32_t element);
uint32_t lockset_remove(uint32_t set, uint32_t element);
const uint32_t *lockset_elements(uint32_t set, uint32_t *count);
bool lockset_excludes(uint32_t a, uint32_t b);

/* Does no lock protect a against b? */
static inline bool locksets_disjoint(uint32_t a, uint32_t b)
{
	return a == LOCKSET_EMPTY || b == LOCKSET_EMPTY || !lockset_excludes(a, b);
}

struct lock_info {
	uintptr_t address;
	uintptr_t first_at;
	uintptr_t last_at;    /* where it was taken last ... */
	uint32_t last_thread; /* ... by whom */
};
struct lock_info *lock_info(uint32_t ordinal); /* never NULL for a known ordinal */

/* A lock a thread holds, in the order taken. */
struct held {
	uint32_t ordinal;
	uint32_t mode;
	uint32_t count; /* recursive, and nested read locks */
	uintptr_t taken_at;
};

/* ---- threads and segments ------------------------------------------------------------- */

#define SEGMENT_CACHE 256u
#define OBJECT_CACHE 256u
#define STEP_CACHE 512u
#define RELAXED_LOADS 8u
#define SITE_CACHE 256u

struct segment {
	uint32_t slot;
	uint32_t epoch;
	uint32_t lockset;
	uint32_t thread;
};

struct object;

/*
 * What record_quick did last to a granule with these very cells: neighbours in an array look the same.
 * Good as long as the key is (then epoch and lockset are the same, and clocks only grow: what did not
 * conflict still does not) and no segment number was given to another meanwhile.
 */
#define MEMOS 64u
struct memo {
	uint64_t key;          /* segment, kind, bytes; 0: none */
	uint64_t seen[CELLS];
	uint64_t new;          /* goes to ... */
	uint32_t site;
	uint32_t collections;
	int8_t at;             /* ... this place */
	bool moves;            /* the first cell's content went to `at`, the new one to the first */
	bool alone;
	bool lost;
	uint8_t rests;         /* misfits left to let pass before it is written again */
};

/* The same for an access over two granules: see twin.h. */
#define TWINS 32u
struct twin {
	uint64_t key;          /* segment and kind; 0: none */
	uintptr_t pc;          /* names size and site too */
	uint64_t seen[2][CELLS];
	uint64_t first[2];     /* what the first cells become ... */
	uint64_t other[2];     /* ... and the other one that changes */
	uint32_t collections;
	uint8_t place;         /* address mod GRANULE */
	uint8_t other_at[2];   /* 0: none */
	uint8_t rests;         /* misfits left to let pass before it is learned anew ... */
	uint8_t tries;         /* ... after this many at once: the first of a row differs from the second */
};

struct detect_thread {
	uint64_t key;     /* current segment << KEY_SEGMENT_SHIFT; 0: none made yet. Copy: detect_key */
	uint32_t slot;
	uint32_t id;
	uint32_t epoch;
	uint32_t lockset;
	bool used;        /* an access was recorded in this epoch */
	int ignore;       /* > 0: accesses are not looked at; the end of the thread counts as one */
	struct clock vc;  /* vc.at[slot] = last closed epoch = epoch - 1 */
	struct rt_thread *rt;
	uint64_t random;
	struct { uint32_t lockset, epoch, segment; } segments[SEGMENT_CACHE]; /* segment 0: none */
	struct { uintptr_t address; struct object *object; uint32_t generation, version; } objects[OBJECT_CACHE];
	struct { uint64_t key; uint32_t result; } steps[STEP_CACHE]; /* lockset transitions */
	struct { uintptr_t pc; uint32_t site; } sites[SITE_CACHE]; /* of patched calls */
	struct memo memos[MEMOS] __attribute__((aligned(64)));
	struct twin twins[TWINS] __attribute__((aligned(64)));
	struct held *held;
	uint32_t held_count;
	uint32_t held_size;
	struct clock fence;  /* what a release fence published for later relaxed stores */
	bool fenced;
	uintptr_t relaxed[RELAXED_LOADS]; /* addresses read relaxed since the last acquire fence */
	uint32_t relaxed_count;
	uint64_t lost_cells;
	uint64_t skipped;
	struct burst *bursts; /* literace */
};

/* What the blob reads: the current key of the running thread, as key_shown makes it. */
extern RT_TLS uint64_t detect_key;
static inline uint64_t key_shown(uint64_t key)
{
	return key | KEY_BYTES | KEY_WRITE;
}
/* More than one thread was ever alive at once: cells are written by compare-and-swap. */
extern bool detect_many;
/* The engine hears nothing (no wire, forked child, out of memory at the start). */
extern bool detect_off;
extern bool detect_hb; /* rule hb */

extern struct segment *segments;

static inline struct segment *segment_at(uint32_t index)
{
	return &segments[index];
}

/* Odd while segment numbers are being collected. */
extern uint32_t segment_collections;

bool segments_start(void);
/* The segment of the thread's epoch and lockset: found in its cache or made; sets key. */
void segment_enter(struct detect_thread *t);
/* Lockset or epoch changed: key becomes that of a known segment or 0 (made at the next access). */
void segment_leave(struct detect_thread *t);
/* Close the epoch if anything happened in it. */
void segment_advance(struct detect_thread *t);

struct detect_thread *detect_self(void);
static inline struct detect_thread *detect_of(struct rt_thread *rt)
{
	return likely(rt->engine != NULL) ? rt->engine : detect_self();
}
/* Every thread that has not been joined or ended detached; in order of slots. */
void threads_each(void (*visit)(struct detect_thread *t, void *data), void *data);
struct detect_thread *thread_of_stack(uintptr_t address);
void thread_count_losses(struct detect_thread *t);

static inline uint32_t thread_random(struct detect_thread *t)
{
	t->random = t->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(t->random >> 33);
}

/* ---- sync objects by address (sync.c) ------------------------------------------------------ */

struct object {
	uintptr_t address;
	struct object *next;   /* of the same page */
	struct clock vc;
	struct rt_lock lock;   /* of vc */
	uint32_t version;      /* changes with vc */
	uint32_t ordinal;      /* of the lock; 0: not one yet */
};

/* Find, or make when make is set; NULL when there is none or no memory. */
struct object *object_at(struct detect_thread *t, uintptr_t address, bool make);
/* Forget every object in the range: the address may become another one. */
void objects_drop(uintptr_t address, size_t size);
void object_send(struct detect_thread *t, uintptr_t address);
void object_receive(struct detect_thread *t, uintptr_t address);
void object_send_clock(struct detect_thread *t, uintptr_t address, const struct clock *clock);

/* ---- sites (site.c, siteset.c) ------------------------------------------------------------------ */

#define SITE_MAX PLACE_SET

struct site {
	uintptr_t pc;
	uint16_t flags;   /* enum access_flag */
	uint8_t size;     /* 0: a range */
	uint8_t visits;   /* through the exported entry, until patched */
	bool watched;     /* the plan wants its stacks, and its granules exhaustively */
	bool patched;
	uint16_t lists;   /* granules it has made lists of */
};

bool sites_start(void);
/* The site of an access; 0 when the table is full (counted). */
uint32_t site_of(uintptr_t pc, unsigned flags, size_t size);
struct site *site_at(uint32_t site);

struct member {
	uint32_t site;
	uint32_t bytes;
};
/* The cell's place with (site, bytes) added to it; 0: no room for another set. */
uint32_t siteset_add(uint64_t cell, uint32_t site, uint32_t bytes);
/* The place for a cell that gets bytes nobody is named for; never 0. */
uint32_t siteset_keep(uint64_t cell);
extern bool siteset_full; /* no new set will be made: hot code need not ask */
#define SITESET_MAX 16u
/* The members of a cell's place; out has room for SITESET_MAX. */
unsigned siteset_members(uint64_t cell, struct member *out);

/* ---- shadow (shadow.c) ------------------------------------------------------------------------------ */

#define CHUNK_BITS 22 /* 4 MiB of the program: 8 MiB of shadow */
#define SPACE_BITS 42 /* direct mapping folds addresses to this many bits, see shadow.c */
#define CHUNK_GRANULES (((size_t)1 << CHUNK_BITS) / GRANULE)
#define CHUNK_BYTES (CHUNK_GRANULES * CELLS * sizeof(uint64_t))

struct shadow_map {
	uint64_t *direct;       /* the first cells; NULL: by table */
	uintptr_t rest;         /* direct: where the rest is, see cells_rest */
	uint32_t *owner;        /* direct: address >> SPACE_BITS, + 1, of the chunk; 0 untouched */
	uint64_t **table;       /* else: chunk by address >> CHUNK_BITS */
	uint8_t *listed;        /* this chunk had a list */
};
extern struct shadow_map shadow;

bool shadow_start(void);
/* Slow: first touch of a chunk. NULL: refused, counted. */
uint64_t *shadow_make(uintptr_t address);
/* Call visit with every stretch of words that may hold cells. */
void shadow_each(void (*visit)(uint64_t *words, size_t count));
void shadow_clear(uintptr_t address, size_t size);
/* The same for mapped memory and stacks: pages are given back. */
void shadow_drop(uintptr_t address, size_t size);
/* A new block: a large one gets huge pages. */
void shadow_large(uintptr_t address, size_t size);

#define SPACE_MASK (((uintptr_t)1 << SPACE_BITS) - 1)

static inline uint32_t chunk_of(uintptr_t address)
{
	return (uint32_t)((address & SPACE_MASK) >> CHUNK_BITS);
}

static inline uint64_t *direct_cells(uintptr_t address)
{
	return shadow.direct + (address & SPACE_MASK) / GRANULE;
}

/* The granule's first cell, the next granule's follows; NULL: this address has no shadow. */
static inline uint64_t *shadow_cells(uintptr_t address)
{
	if (likely(shadow.direct != NULL)) {
		if (likely(shadow.owner[chunk_of(address)] == (address >> SPACE_BITS) + 1))
			return direct_cells(address);
	} else if (address >> 47 == 0) {
		uint64_t *chunk = __atomic_load_n(&shadow.table[address >> CHUNK_BITS], __ATOMIC_ACQUIRE);

		if (likely(chunk != NULL))
			return chunk + (address & ((1u << CHUNK_BITS) - 1)) / GRANULE;
	}
	return NULL;
}

/* The other CELLS_REST cells of the granule whose first is given. */
static inline uint64_t *cells_rest(const uint64_t *first)
{
	uintptr_t at = (uintptr_t)first, chunk = at & -(uintptr_t)CHUNK_BYTES;

	if (likely(shadow.direct != NULL))
		return (uint64_t *)(at * CELLS_REST + shadow.rest);
	return (uint64_t *)(chunk + CHUNK_GRANULES * sizeof(uint64_t) + (at - chunk) * CELLS_REST);
}

static inline uint64_t *cell_at(uint64_t *first, unsigned i)
{
	return i ? cells_rest(first) + i - 1 : first;
}

/* ---- an access on its way ----------------------------------------------------------------------------- */

struct touch {
	struct detect_thread *t;
	uintptr_t address;
	size_t size;
	unsigned flags;
	uint32_t site;
	uintptr_t pc;
	const void *frame;
	bool watched;
	bool record;      /* false: only check (free, a pause of the sampler) */
	bool cold;        /* one of the first visits of its site: it is to be named */
};

/* All granules of the access. */
void record_touch(const struct touch *x);
/* One granule: bytes is the mask of the access in it. */
void record_granule(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule);

/* Make the granule a list and put the access in. */
void list_convert(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule);
/* Has the site made few enough lists to make one that may teach nothing? */
bool list_affordable(uint32_t site);
void list_touch(const struct touch *x, uint64_t *cells, uint32_t bytes, uintptr_t granule);
/* Cell 0 is being cleared: give the list back. */
void list_forget(uint64_t *cells);

/* The other side of a pair. */
struct other {
	uint32_t site;
	uint32_t stack;    /* 0: unknown */
	uint32_t thread;
	uint32_t lockset;
};
bool pair_known(uint32_t a, uint32_t b);
/* True when there is nothing left to tell of the pair: both stacks are known. */
bool pair_report(const struct touch *x, const struct other *other, uint32_t overlap, uintptr_t granule);

/* Interned stacks; 0: none or no room. */
uint32_t stack_take(const struct touch *x);
unsigned stack_get(uint32_t stack, const uintptr_t **frames);
bool pairs_start(void);
/* Locks for the wire; holder (if not NULL) still holds them and knows where it took them. */
void locks_put(struct wire_lock *out, const uint32_t *elements, uint32_t count, uint32_t thread,
	       const struct detect_thread *holder);
struct wire_pc place_or_none(uintptr_t pc); /* 0 is no place */

/* Memory in pieces (piece.c), named by numbers; 0: no room. New ones are zeroed. */
#define PIECE_UNIT 32u
extern char *pieces;
static inline void *piece_at(uint32_t number)
{
	return pieces + (size_t)number * PIECE_UNIT;
}
uint32_t piece_new(size_t bytes);
void piece_free(uint32_t number, size_t bytes);
size_t piece_size(size_t bytes); /* what a piece for so many bytes really has */

/* ---- lock order (order.c), sampling (sample.c), heap blocks (memory.c) -------------------------------------- */

void order_want(struct detect_thread *t, uint32_t ordinal, unsigned mode, uintptr_t pc, const void *frame);

extern unsigned sample_kind; /* enum wire_sample */
void sample_start(void);
void sample_sync(struct detect_thread *t);             /* a sync operation went by */
bool sample_skips(struct detect_thread *t, uint32_t site); /* literace: leave this one out */
bool sample_paused(void);                               /* pacer: check, but do not record */

struct block {
	uintptr_t start;
	size_t size;
	uintptr_t allocated_at;
};
bool block_of(uintptr_t address, struct block *block);
void blocks_start(void);

/* ---- blob.c --------------------------------------------------------------------------------------------------- */

bool blob_start(void);
/* A fast entry for (size, flags) within reach of pc's module; NULL: there is none. */
const void *blob_entry(uintptr_t pc, size_t size, unsigned flags);

#endif
