/*
 * segment - (thread, epoch, lockset) named by one small number.
 *
 * A thread's segment changes when it sends (the epoch ends, if anything was recorded in it)
 * or when its lockset changes; a lock taken again in the same epoch gets its old segment back
 * from the thread's cache. Receiving changes no segment: what I did before and after it in
 * one epoch is ordered alike to everybody else. Segments are made at the first access only,
 * so a thread that locks, sends and receives without touching memory makes none.
 *
 * Numbers are 22 bits, so that a cell has room for the rest. When they run out the collector marks every number
 * that a cell still names, or a thread may still write, and the rest is free again:
 * nothing is lost (lists name no segments). Only when more than half of all numbers are still named, the older half is
 * taken out of the shadow, and that is counted (WIRE_LOST_SEGMENTS).
 *
 * I1  A thread writes cells of its current segment only, and its current segment is in its
 *     cache; caches change only in segment_new, under the lock the collector holds. So
 *     marking the caches covers all cells that appear while it marks.
 * I2  Number 0 is no segment, and nobody's: a list's head, which names it, must not look like a cell of the first
 *     thread (its lists were overwritten once).
 */
#include "rt/detect/internal.h"

#define FIRST_LIMIT (1u << 16)

struct segment *segments;

static struct {
	struct rt_lock lock;
	uint64_t *marked;   /* a bit per number: in use since the last collection */
	uint32_t next;
	uint32_t limit;     /* numbers handed out before a collection; doubles up to size */
	uint32_t size;
	uint32_t left;      /* marked by the running collection */
	uint32_t drop_low, drop_high; /* being taken out of the shadow */
} table;

static bool is_marked(uint32_t segment)
{
	return table.marked[segment / 64] >> segment % 64 & 1;
}

static void mark(uint32_t segment)
{
	if (is_marked(segment))
		return;
	table.marked[segment / 64] |= 1ull << segment % 64;
	table.left++;
}

static void mark_cell(uint64_t cell)
{
	if (cell_segment(cell))
		mark(cell_segment(cell));
}

static void mark_words(uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mark_cell(cell_load(&words[i]));
}

static void mark_thread(struct detect_thread *t, void *data)
{
	(void)data;
	for (unsigned i = 0; i < SEGMENT_CACHE; i++)
		if (t->segments[i].segment && t->segments[i].epoch == t->epoch)
			mark(t->segments[i].segment);
}

static void drop_words(uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t cell = cell_load(&words[i]);
		uint32_t segment = cell_segment(cell);

		if (segment >= table.drop_low && segment < table.drop_high)
			__atomic_compare_exchange_n(&words[i], &cell, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

static void collect_marks(void)
{
	rt_memset(table.marked, 0, table.size / 8);
	table.marked[0] = 1;
	table.left = 0;
	threads_each(mark_thread, NULL);
	shadow_each(mark_words);
}

uint32_t segment_collections;

static void collect(void)
{
	__atomic_add_fetch(&segment_collections, 1, __ATOMIC_SEQ_CST);
	if (table.limit < table.size)
		table.limit *= 2;
	collect_marks();
	if (table.left > table.limit / 2 && table.limit == table.size) {
		table.drop_low = table.next < table.size / 2 ? table.size / 2 : 1;
		table.drop_high = table.drop_low + table.size / 2;
		shadow_each(drop_words);
		collect_marks();
		rt_count(WIRE_LOST_SEGMENTS);
	}
	table.next = 1;
	__atomic_add_fetch(&segment_collections, 1, __ATOMIC_SEQ_CST);
}

static uint32_t next_free(void)
{
	for (; table.next < table.limit; table.next++)
		if (!is_marked(table.next))
			return table.next++;
	return 0;
}

static uint32_t segment_new(struct detect_thread *t)
{
	unsigned i = t->lockset % SEGMENT_CACHE;
	uint32_t segment;

	rt_lock(&table.lock);
	segment = next_free();
	if (unlikely(!segment)) {
		collect();
		segment = next_free();
	}
	if (segment) {
		segments[segment] = (struct segment){ t->slot, t->epoch, t->lockset, t->id };
		t->segments[i].lockset = t->lockset;
		t->segments[i].epoch = t->epoch;
		t->segments[i].segment = segment;
	}
	rt_unlock(&table.lock);
	rt_count(segment ? WIRE_SEGMENTS : WIRE_LOST_SEGMENTS);
	return segment;
}

static void set_key(struct detect_thread *t, uint32_t segment)
{
	t->key = (uint64_t)segment << KEY_SEGMENT_SHIFT;
	if (t->rt == rt_self_tls)
		detect_key = key_shown(t->key);
}

void segment_leave(struct detect_thread *t)
{
	unsigned i = t->lockset % SEGMENT_CACHE;

	bool known = t->segments[i].lockset == t->lockset && t->segments[i].epoch == t->epoch;

	set_key(t, known ? t->segments[i].segment : 0);
}

void segment_enter(struct detect_thread *t)
{
	set_key(t, segment_new(t));
	t->used = true;
}

void segment_advance(struct detect_thread *t)
{
	if (!t->used)
		return;
	clock_set(&t->vc, t->slot, t->epoch);
	t->epoch++;
	t->used = false;
	set_key(t, 0);
}

bool segments_start(void)
{
	for (table.size = SEGMENT_MAX; table.size >= FIRST_LIMIT; table.size /= 2) {
		segments = rt_reserve(table.size * sizeof(*segments), false);
		if (segments)
			break;
	}
	table.limit = FIRST_LIMIT;
	table.next = 1;
	if (segments)
		segments[0].slot = UINT32_MAX;
	table.marked = rt_reserve(table.size / 8, false);
	return segments && table.marked;
}
