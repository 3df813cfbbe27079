/*
 * pairs - the hybrid rule over the accesses of samples: overlapping bytes, different threads,
 * one a write, not both atomic, no common lock, unordered (order.c) - and still the same
 * variable: no allocation covering the bytes in between, and no lost records.
 *
 *     accesses -> cells (8-byte granules) -> sorted -> per granule: pairs that pass the rule
 *              -> the allocations, once, against the granules that have any -> pairs
 *
 * Left out, each counted: bytes some sample saw under a lock prefix (an atomic variable, whose
 * plain loads and stores are atomic too), a thread's own frame reached by rsp or rbp (frames are
 * reused without a word), what the program declared benign.
 */
#include <stdlib.h>
#include <string.h>

#include "find/sample/internal.h"
#include "race/access.h"
#include "race/lock.h"

#define CROWD 1024      /* different accesses of one granule that are compared with each other */
#define EXAMPLES 16     /* of one pair of places in one granule: some may be refuted by allocations */
#define WIDEST 64       /* granules of one access that are looked at */

struct cell {
	uint64_t granule;
	uint32_t access;
};

/* A pair that passed everything but the allocations. */
struct example {
	uint64_t granule;
	uint32_t a, b;
};

struct search {
	struct process *process;
	struct pair_counts *counts;
	VEC(struct cell) cells;
	VEC(struct example) examples;
};

static const struct seen_sample *sample_of(const struct process *p, const struct seen_access *access)
{
	return &p->samples.items[access->sample];
}

/* ---- cells ------------------------------------------------------------------------------------ */

static int cell_order(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->granule != y->granule)
		return x->granule < y->granule ? -1 : 1;
	return x->access < y->access ? -1 : x->access > y->access;
}

static void make_cells(struct search *s)
{
	for (uint32_t i = 0; i < s->process->accesses.count; i++) {
		const struct seen_access *access = &s->process->accesses.items[i];
		uint64_t low = access->address >> 3, high = (access->address + access->size - 1) >> 3;

		for (uint64_t g = low; g <= high && g - low < WIDEST; g++)
			VEC_PUSH(&s->cells, (struct cell){ g, i });
	}
	if (s->cells.count)
		qsort(s->cells.items, s->cells.count, sizeof(struct cell), cell_order);
}

/* ---- the rule ------------------------------------------------------------------------------------ */

static bool share_lock(const struct trace_r_sample *a, const struct trace_r_sample *b)
{
	const uint64_t *x = (const uint64_t *)(a + 1), *y = (const uint64_t *)(b + 1);

	for (uint32_t i = 0; i < a->lock_count; i++)
		for (uint32_t j = 0; j < b->lock_count; j++)
			if ((x[i] & ~TRACE_LOCK_SHARED) == (y[j] & ~TRACE_LOCK_SHARED) &&
			    lock_modes_exclude(x[i] & TRACE_LOCK_SHARED ? LOCK_READ : LOCK_WRITE,
					       y[j] & TRACE_LOCK_SHARED ? LOCK_READ : LOCK_WRITE))
				return true;
	return false;
}

static bool before(const struct seen_sample *a, const struct seen_sample *b)
{
	return b->heard && a->thread < b->heard->count && b->heard->epoch[a->thread] >= a->epoch;
}

static bool across_gap(const struct process *p, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < p->gaps.count; i++)
		if (p->gaps.items[i].from <= high && low <= p->gaps.items[i].to)
			return true;
	return false;
}

/* Whose stack is it, at that time? UINT32_MAX: nobody's. */
static uint32_t stack_owner(const struct process *p, uint64_t address, uint64_t order)
{
	for (uint32_t i = 0; i < p->threads.count; i++) {
		const struct seen_thread *t = &p->threads.items[i];

		if (t->known && address >= t->stack_low && address < t->stack_high && order >= t->from && order <= t->to)
			return i;
	}
	return UINT32_MAX;
}

static bool in_own_frame(const struct process *p, const struct seen_access *access)
{
	const struct seen_sample *s = sample_of(p, access);

	return access->by_stack_pointer && stack_owner(p, access->address, s->order) == s->thread;
}

static bool is_benign(const struct process *p, const struct seen_access *access)
{
	for (size_t i = 0; i < p->benign.count; i++)
		if (access->address < p->benign.items[i].high && p->benign.items[i].low < access->address + access->size)
			return true;
	return false;
}

/* All of the rule but allocations; what refuted it is counted. */
static bool passes(struct search *s, const struct seen_access *a, const struct seen_access *b)
{
	const struct seen_sample *x = sample_of(s->process, a), *y = sample_of(s->process, b);
	struct pair_counts *counts = s->counts;

	if (x->thread == y->thread || !access_conflict(a->address, a->size, a->flags, b->address, b->size, b->flags))
		return false;
	if (share_lock(x->record, y->record))
		return counts->locked++, false;
	if (before(x, y) || before(y, x))
		return counts->ordered++, false;
	if (across_gap(s->process, x->order < y->order ? x->order : y->order, x->order < y->order ? y->order : x->order))
		return counts->lost++, false;
	if (in_own_frame(s->process, a) || in_own_frame(s->process, b))
		return counts->stack++, false;
	if (is_benign(s->process, a) || is_benign(s->process, b))
		return counts->benign++, false;
	return true;
}

/* ---- one granule ----------------------------------------------------------------------------------- */

static bool same_place(const struct seen_access *a, const struct seen_access *b)
{
	return a->module == b->module && a->place == b->place && a->flags == b->flags;
}

static bool same_situation(const struct process *p, const struct seen_access *a, const struct seen_access *b)
{
	const struct seen_sample *x = sample_of(p, a), *y = sample_of(p, b);

	return same_place(a, b) && a->address == b->address && x->thread == y->thread && x->epoch == y->epoch &&
	       x->heard == y->heard && x->record->lock_count == y->record->lock_count &&
	       !memcmp(x->record + 1, y->record + 1, x->record->lock_count * sizeof(uint64_t));
}

static unsigned examples_of(const struct search *s, size_t from, const struct seen_access *a, const struct seen_access *b)
{
	const struct seen_access *all = s->process->accesses.items;
	unsigned n = 0;

	for (size_t i = from; i < s->examples.count; i++) {
		const struct example *e = &s->examples.items[i];

		n += (same_place(&all[e->a], a) && same_place(&all[e->b], b)) ||
		     (same_place(&all[e->a], b) && same_place(&all[e->b], a));
	}
	return n;
}

/*
 * Different situations of the granule, a bounded number: the first and the last of a long
 * crowd tell more than its first thousand.
 */
static size_t choose(struct search *s, const struct cell *cells, size_t count, uint32_t *chosen)
{
	const struct seen_access *all = s->process->accesses.items;
	size_t n = 0, stride = count > 16 * CROWD ? count / (16 * CROWD) : 1;

	for (size_t i = 0; i < count; i += stride) {
		bool known = false;

		for (size_t j = n > 64 ? n - 64 : 0; j < n && !known; j++)
			known = same_situation(s->process, &all[chosen[j]], &all[cells[i].access]);
		if (known)
			continue;
		if (n == CROWD) {
			s->counts->crowded += count - i;
			break;
		}
		chosen[n++] = cells[i].access;
	}
	return n;
}

static bool is_shared(const struct search *s, const struct cell *cells, size_t count)
{
	const struct seen_access *all = s->process->accesses.items;
	uint32_t first = sample_of(s->process, &all[cells[0].access])->thread;
	bool other = false, written = false;

	for (size_t i = 0; i < count; i++) {
		other |= sample_of(s->process, &all[cells[i].access])->thread != first;
		written |= access_is_write(all[cells[i].access].flags);
	}
	return other && written;
}

/* Some sample saw these very bytes under a lock prefix: then plain loads and stores of them are atomics too. */
static bool is_atomic_variable(const struct search *s, const struct cell *cells, size_t count,
			       const struct seen_access *access)
{
	for (size_t i = 0; i < count; i++) {
		const struct seen_access *other = &s->process->accesses.items[cells[i].access];

		if (other->flags & ACCESS_ATOMIC && other->address == access->address && other->size == access->size)
			return true;
	}
	return false;
}

static void look_at_granule(struct search *s, const struct cell *cells, size_t count)
{
	static uint32_t chosen[CROWD];
	const struct seen_access *all = s->process->accesses.items;
	size_t n, from = s->examples.count;

	if (count < 2 || !is_shared(s, cells, count))
		return;
	s->counts->shared += count;
	n = choose(s, cells, count, chosen);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			const struct seen_access *a = &all[chosen[i]], *b = &all[chosen[j]];

			if (!passes(s, a, b))
				continue;
			if (is_atomic_variable(s, cells, count, a) || is_atomic_variable(s, cells, count, b))
				s->counts->atomic++;
			else if (examples_of(s, from, a, b) < EXAMPLES)
				VEC_PUSH(&s->examples, (struct example){ cells[0].granule, chosen[i], chosen[j] });
		}
}

static void look_at_all(struct search *s)
{
	for (size_t i = 0, j; i < s->cells.count; i = j) {
		for (j = i + 1; j < s->cells.count && s->cells.items[j].granule == s->cells.items[i].granule; j++)
			;
		look_at_granule(s, &s->cells.items[i], j - i);
	}
}

/* ---- allocations -------------------------------------------------------------------------------------- */

struct fresh {
	uint64_t granule, order;
};

struct allocations {
	const struct search *search;
	VEC(struct fresh) fresh;
};

/* Examples are sorted by granule as they were found. First one not below it. */
static size_t first_example(const struct search *s, uint64_t granule)
{
	size_t low = 0, high = s->examples.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->examples.items[middle].granule < granule)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void note_fresh(struct allocations *a, uint64_t low, uint64_t high, uint64_t order)
{
	const struct search *s = a->search;
	uint64_t last = UINT64_MAX;

	for (size_t i = first_example(s, low >> 3); i < s->examples.count && s->examples.items[i].granule <= (high - 1) >> 3; i++) {
		if (s->examples.items[i].granule != last)
			VEC_PUSH(&a->fresh, (struct fresh){ s->examples.items[i].granule, order });
		last = s->examples.items[i].granule;
	}
}

static bool see_allocation(void *context, uint32_t thread, const struct trace_record *record)
{
	struct allocations *a = context;

	if (record->type == TRACE_R_ALLOC && record->size >= sizeof(struct trace_r_alloc)) {
		const struct trace_r_alloc *r = (const void *)record;

		if (r->size && r->block + r->size > r->block)
			note_fresh(a, r->block, r->block + r->size, record->order);
	} else if (record->type == TRACE_R_THREAD && record->size >= sizeof(struct trace_r_thread)) {
		const struct trace_r_thread *r = (const void *)record;

		if (r->stack_high > r->stack_low)
			note_fresh(a, r->stack_low, r->stack_high, record->order);
	}
	return true;
}

static int fresh_order(const void *a, const void *b)
{
	const struct fresh *x = a, *y = b;

	if (x->granule != y->granule)
		return x->granule < y->granule ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Did the bytes begin anew between the two, or perhaps just at one of them (wire/trace.h, I3)? */
static bool began_anew(const struct allocations *a, uint64_t granule, uint64_t low, uint64_t high)
{
	size_t from = 0, to = a->fresh.count;

	while (from < to) {
		size_t middle = (from + to) / 2;
		const struct fresh *f = &a->fresh.items[middle];

		if (f->granule < granule || (f->granule == granule && f->order < low))
			from = middle + 1;
		else
			to = middle;
	}
	return from < a->fresh.count && a->fresh.items[from].granule == granule && a->fresh.items[from].order <= high + 1;
}

/* ---- pairs of places ------------------------------------------------------------------------------------ */

static void add_pair(struct process *p, seen_pairs *pairs, const struct example *e)
{
	const struct seen_access *all = p->accesses.items;

	for (size_t i = 0; i < pairs->count; i++) {
		struct seen_pair *pair = &pairs->items[i];

		if ((same_place(&all[pair->a], &all[e->a]) && same_place(&all[pair->b], &all[e->b])) ||
		    (same_place(&all[pair->a], &all[e->b]) && same_place(&all[pair->b], &all[e->a]))) {
			pair->times++;
			return;
		}
	}
	VEC_PUSH(pairs, (struct seen_pair){ e->a, e->b, 1 });
}

static void settle(struct search *s, seen_pairs *pairs)
{
	struct allocations a = { .search = s };

	process_each(s->process, see_allocation, &a);
	if (a.fresh.count)
		qsort(a.fresh.items, a.fresh.count, sizeof(struct fresh), fresh_order);
	for (size_t i = 0; i < s->examples.count; i++) {
		const struct example *e = &s->examples.items[i];
		uint64_t x = sample_of(s->process, &s->process->accesses.items[e->a])->order;
		uint64_t y = sample_of(s->process, &s->process->accesses.items[e->b])->order;

		if (began_anew(&a, e->granule, x < y ? x : y, x < y ? y : x))
			s->counts->reused++;
		else
			add_pair(s->process, pairs, e);
	}
	VEC_FREE(&a.fresh);
}

void pairs_find(struct process *process, seen_pairs *pairs, struct pair_counts *counts)
{
	struct search s = { .process = process, .counts = counts };

	make_cells(&s);
	look_at_all(&s);
	if (s.examples.count)
		settle(&s, pairs);
	VEC_FREE(&s.cells);
	VEC_FREE(&s.examples);
}
