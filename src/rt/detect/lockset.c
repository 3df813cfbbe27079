/*
 * lockset - sets of held locks, each kept once and named by a number.
 *
 * A set is a sorted array of (ordinal << 1 | mode). Sets are never forgotten (segments name
 * them); a program has few: one per way through its critical sections. Adding and removing
 * is memoised per thread (lock.c), excludes() in one table for all: a word per pair, racy by
 * design, since a word is written whole and its value depends on nothing but its key.
 *
 * I1  Equal sets have equal numbers; number 0 is the empty set.
 * I2  A set that cannot be made (out of memory) is counted and becomes the set without the
 *     new element: fewer locks, so more suspicions, nothing hidden.
 */
#include "rt/detect/internal.h"

#define SETS_PER_CHUNK 1024u
#define CHUNKS 4096u
#define MEMO 8192u

struct set {
	uint32_t count;
	uint32_t hash;
	uint32_t next; /* in the hash chain; 0 ends it */
	uint32_t elements[];
};

static struct {
	struct rt_lock lock;
	struct set **chunk[CHUNKS];
	uint32_t count;
	uint32_t heads[4096];
} sets = { .count = 1 };
static uint64_t memo[MEMO];

static struct set *set_at(uint32_t id)
{
	return sets.chunk[id / SETS_PER_CHUNK][id % SETS_PER_CHUNK];
}

const uint32_t *lockset_elements(uint32_t id, uint32_t *count)
{
	if (id == LOCKSET_EMPTY) {
		*count = 0;
		return NULL;
	}
	*count = set_at(id)->count;
	return set_at(id)->elements;
}

static uint32_t hash_of(const uint32_t *elements, uint32_t count, uint32_t skip, uint32_t extra)
{
	uint32_t hash = 0;

	/* A sum of mixed elements: order does not matter, adding and removing is easy. */
	for (uint32_t i = 0; i < count; i++)
		if (elements[i] != skip)
			hash += (elements[i] + 1) * 0x9e3779b1u ^ elements[i] >> 7;
	if (extra != ~0u)
		hash += (extra + 1) * 0x9e3779b1u ^ extra >> 7;
	return hash;
}

/* Is the set the old elements without skip and with extra? */
static bool set_is(const struct set *set, const uint32_t *old, uint32_t count, uint32_t skip, uint32_t extra)
{
	uint32_t i = 0;

	for (uint32_t j = 0; j < count || extra != ~0u;) {
		uint32_t want;

		if (extra != ~0u && (j == count || extra < old[j])) {
			want = extra;
			extra = ~0u;
		} else if ((want = old[j++]) == skip)
			continue;
		if (i == set->count || set->elements[i++] != want)
			return false;
	}
	return i == set->count;
}

static void set_fill(struct set *set, const uint32_t *old, uint32_t count, uint32_t skip, uint32_t extra)
{
	uint32_t n = 0;

	for (uint32_t j = 0; j < count; j++) {
		if (extra < old[j]) {
			set->elements[n++] = extra;
			extra = ~0u;
		}
		if (old[j] != skip)
			set->elements[n++] = old[j];
	}
	if (extra != ~0u)
		set->elements[n++] = extra;
	set->count = n;
}

static uint32_t set_new(const uint32_t *old, uint32_t count, uint32_t skip, uint32_t extra, uint32_t hash)
{
	uint32_t id = sets.count;
	struct set ***chunk = &sets.chunk[id / SETS_PER_CHUNK];
	struct set *set = rt_arena(sizeof(*set) + (count + 1) * sizeof(*set->elements));

	if (!set || id >= SETS_PER_CHUNK * CHUNKS)
		return LOCKSET_EMPTY;
	if (!*chunk && !(*chunk = rt_arena(SETS_PER_CHUNK * sizeof(**chunk))))
		return LOCKSET_EMPTY;
	set_fill(set, old, count, skip, extra);
	set->hash = hash;
	set->next = sets.heads[hash % 4096];
	(*chunk)[id % SETS_PER_CHUNK] = set;
	sets.heads[hash % 4096] = id;
	__atomic_store_n(&sets.count, id + 1, __ATOMIC_RELEASE);
	rt_count(WIRE_LOCKSETS);
	return id;
}

static uint32_t set_find(uint32_t from, uint32_t skip, uint32_t extra)
{
	uint32_t count, id, hash;
	const uint32_t *old = lockset_elements(from, &count);

	if (extra == ~0u && count == 1 && old[0] == skip)
		return LOCKSET_EMPTY;
	hash = hash_of(old, count, skip, extra);
	rt_lock(&sets.lock);
	for (id = sets.heads[hash % 4096]; id; id = set_at(id)->next)
		if (set_at(id)->hash == hash && set_is(set_at(id), old, count, skip, extra))
			break;
	if (!id)
		id = set_new(old, count, skip, extra, hash);
	rt_unlock(&sets.lock);
	if (!id)
		rt_count(WIRE_LOST_LOCKS);
	return id ? id : from;
}

static bool has(uint32_t set, uint32_t element)
{
	uint32_t count;
	const uint32_t *elements = lockset_elements(set, &count);

	for (uint32_t i = 0; i < count; i++)
		if (elements[i] == element)
			return true;
	return false;
}

uint32_t lockset_add(uint32_t set, uint32_t element)
{
	return has(set, element) ? set : set_find(set, ~0u, element);
}

uint32_t lockset_remove(uint32_t set, uint32_t element)
{
	return has(set, element) ? set_find(set, element, ~0u) : set;
}

static bool excludes(uint32_t a, uint32_t b)
{
	uint32_t na, nb, i = 0, j = 0;
	const uint32_t *ea = lockset_elements(a, &na), *eb = lockset_elements(b, &nb);

	while (i < na && j < nb) {
		if (ea[i] >> 1 == eb[j] >> 1) {
			if (lock_modes_exclude(ea[i] & 1, eb[j] & 1))
				return true;
			i++, j++;
		} else if (ea[i] < eb[j])
			i++;
		else
			j++;
	}
	return false;
}

bool lockset_excludes(uint32_t a, uint32_t b)
{
	uint64_t key = (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) << 1, *word, seen;

	word = &memo[(key * 0x9e3779b97f4a7c15ull) >> 51];
	seen = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (seen >> 1 != key >> 1) {
		seen = key | excludes(a, b);
		__atomic_store_n(word, seen, __ATOMIC_RELAXED);
	}
	return seen & 1;
}
