/*
 * pairs - accesses that may touch the same bytes, one of them a write, that nothing excludes. Classes are compared
 * in parallel, each by one worker.
 *
 *     classes ──► batches (list of accesses, those that write) ──workers──► found ──in order──► pairs
 *        └ the one that holds everything: a batch for each field of each struct (pairs_fields.c)
 *
 * I1  Accesses are compared within their points-to class only.
 * I2  A pair of statements (instruction and kind on both sides) is given once, by the first contexts
 *     that leave it standing. A batch knows only its own pairs, so what is found does not depend on the workers;
 *     pairs found in two batches are dropped when they are gathered.
 * I3  A class with more than PAIRS_MAX combinations with a write is compared field by field; a part that still has
 *     more is cut. Both are listed as not sound.
 * I4  A worker has a copy of the descent for what is cached in it (lock_cache); all else is only read or interned.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "find/scan/intern.h"

#define PAIRS_MAX 3000000
#define CLASS_MAX 2000 /* candidates shown of one class: nobody reads more */
#define FIELD_MAX 16   /* of one field in the class that holds everything: its objects are not told apart */
#define WORKERS_MAX 64

struct batch {
	size_t first, first_write; /* in list[] and writes[]; writes[] are positions in the batch */
	uint32_t count, write_count;
	bool is_field;
	uint32_t worker;           /* who ran it, and where its pairs are in found[] */
	size_t found_first, found_count;
};
struct key_set {
	uint64_t *slots;
	size_t slot_count, used;
};
struct found {
	struct scan_pair pair;
	uint64_t key;
};
struct pairing {
	struct descent *d;
	uint32_t *list, *writes;
	size_t list_count, write_count;
	VEC(struct batch) batches;
	atomic_size_t next;
};
struct worker {
	struct pairing *p;
	struct descent d;
	struct arena arena;
	VEC(struct found) found;
	struct key_set keys;       /* of the batch at hand */
	uint64_t excluded[EXCLUSION_COUNT];
	size_t considered;
	unsigned number, ran;
};

static uint64_t pair_key(struct descent *d, const struct pair_view *v)
{
	struct scan *s = d->s;
	uint64_t a = (uint64_t)scan_place(s, d->contexts.items[v->a->context].function, v->ea->instr) << 1 | (v->ea->flags & ACCESS_WRITE);
	uint64_t b = (uint64_t)scan_place(s, d->contexts.items[v->b->context].function, v->eb->instr) << 1 | (v->eb->flags & ACCESS_WRITE);

	return a < b ? intern_mix(a, b) | 1 : intern_mix(b, a) | 1;
}

static void keys_clear(struct key_set *keys)
{
	if (keys->used)
		memset(keys->slots, 0, keys->slot_count * sizeof(*keys->slots));
	keys->used = 0;
}

static bool new_pair(struct key_set *p, uint64_t key, bool add)
{
	size_t at;

	if ((p->used + 1) * 2 > p->slot_count) {
		size_t count = p->slot_count ? p->slot_count * 2 : 1024;
		uint64_t *slots = calloc(count, sizeof(*slots));

		if (!slots)
			BUG("out of memory");
		for (size_t i = 0; i < p->slot_count; i++)
			if (p->slots[i]) {
				for (at = p->slots[i] >> 1 & (count - 1); slots[at]; at = (at + 1) & (count - 1))
					;
				slots[at] = p->slots[i];
			}
		free(p->slots);
		p->slots = slots;
		p->slot_count = count;
	}
	for (at = key >> 1 & (p->slot_count - 1); p->slots[at]; at = (at + 1) & (p->slot_count - 1))
		if (p->slots[at] == key)
			return false;
	if (add) {
		p->slots[at] = key;
		p->used++;
	}
	return true;
}

/* ---- comparing ----------------------------------------------------------------------------------------------- */

static void limit(struct descent *d, const struct place_access *a, const char *what, int max)
{
	uint32_t f = d->contexts.items[a->context].function;

	assume(d->s, ASSUME_BUDGET, false, f, &scan_unit(d->s, f)->instrs[descent_event(d, a->context, a->event)->instr], what, max);
}

static void keep(struct worker *w, struct batch *batch, const struct pair_view *view, const char *why, uint64_t key)
{
	struct descent *d = &w->d;
	struct found found = { .key = key };

	pair_side_text(d, view->a, view->ea, &found.pair.side[0], &w->arena);
	pair_side_text(d, view->b, view->eb, &found.pair.side[1], &w->arena);
	found.pair.variable = pair_variable_text(d, view, &w->arena);
	found.pair.why_alias = why;
	rank_pair(d, &found.pair, view, &w->arena);
	VEC_PUSH(&w->found, found);
	batch->found_count++;
}

static void compare(struct worker *w, struct batch *batch, const struct place_access *a, const struct place_access *b)
{
	struct descent *d = &w->d;
	struct pair_view view = { a, b, descent_event(d, a->context, a->event), descent_event(d, b->context, b->event) };
	const char *why;
	uint64_t key;
	int by;

	if (!may_be_same(d, a, b, &why))
		return;
	if (a == b && !d->threads.items[a->thread].self && d->threads.items[a->thread].parent != IR_NO)
		return;
	w->considered++;
	key = pair_key(d, &view);
	if (!new_pair(&w->keys, key, false))
		return;
	by = exclude(d, &view);
	if (by >= 0) {
		w->excluded[by]++;
		return;
	}
	new_pair(&w->keys, key, true);
	keep(w, batch, &view, why, key);
}

/*
 * A reference count is atomic in thousands of places: those pairs need no second look where everything runs in
 * parallel and both are the same field.
 */
static bool both_atomic(struct worker *w, const struct batch *batch, const struct place_access *a, const struct place_access *b)
{
	if (!(a->flags & b->flags & ACCESS_ATOMIC) || !batch->is_field || !w->d.s->parallel || w->d.s->options->without >> EXCLUDE_ATOMICS & 1)
		return false;
	w->considered++;
	w->excluded[EXCLUDE_ATOMICS]++;
	return true;
}

/* Each with each where one writes. More candidates than are shown: no need to look for the next. */
static void run_batch(struct worker *w, struct batch *batch)
{
	const uint32_t *list = w->p->list + batch->first, *writes = w->p->writes + batch->first_write;
	size_t max = batch->is_field ? FIELD_MAX : CLASS_MAX, next = 0;
	uint64_t done = 0;

	batch->worker = w->number;
	batch->found_first = w->found.count;
	keys_clear(&w->keys);
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct place_access *a = &w->d.accesses.items[list[i]];
		bool is_write = next < batch->write_count && writes[next] == i;

		for (uint32_t k = is_write ? i : (uint32_t)next; k < (is_write ? batch->count : batch->write_count); k++) {
			const struct place_access *b = &w->d.accesses.items[list[is_write ? k : writes[k]]];

			if (both_atomic(w, batch, a, b))
				continue;
			compare(w, batch, a, b);
			if (batch->found_count > max) {
				batch->found_count = max;
				limit(&w->d, a, batch->is_field ? "more than %d candidates on one field of a struct: the rest is not shown"
							       : "more than %d candidates in one points-to class: the rest is not shown", (int)max);
				return;
			}
			if (++done > PAIRS_MAX) {
				limit(&w->d, a, "more than %d pairs of accesses in one points-to class: the rest is left out", PAIRS_MAX);
				return;
			}
		}
		next += is_write;
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct pairing *p = w->p;

	for (;;) {
		size_t i = atomic_fetch_add(&p->next, 1);

		if (i >= p->batches.count)
			return NULL;
		run_batch(w, &p->batches.items[i]);
		if (w->number == 0 && w->d.s->options->progress && ++w->ran % 1024 == 0)
			w->d.s->options->progress(w->d.s->options->context, "pairs", i, p->batches.count);
	}
}

/* ---- what is compared with what ---------------------------------------------------------------------------------- */

static bool writes(const struct descent *d, uint32_t access)
{
	return d->accesses.items[access].flags & ACCESS_WRITE;
}

/* list[first .. first + count) becomes a batch; without a write it is none. */
static void add_batch(struct pairing *p, size_t first, size_t count, bool is_field)
{
	struct batch batch = { .first = first, .count = (uint32_t)count, .first_write = p->write_count, .is_field = is_field };

	for (uint32_t i = 0; i < count; i++)
		if (writes(p->d, p->list[first + i]))
			p->writes[p->write_count++] = i;
	batch.write_count = (uint32_t)(p->write_count - batch.first_write);
	if (batch.write_count)
		VEC_PUSH(&p->batches, batch);
}

struct named {
	uint64_t field;
	uint32_t access;
};

static int by_field(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	int c = (a->field > b->field) - (a->field < b->field);

	return c ? c : (a->access > b->access) - (a->access < b->access);
}

/* I3: a class that has collected everything. */
static void add_fields(struct pairing *p, size_t first, size_t count)
{
	struct descent *d = p->d;
	struct named *named = calloc(count, sizeof(*named));

	if (!named)
		BUG("out of memory");
	limit(d, &d->accesses.items[p->list[first]], "a points-to class with more than %d pairs of accesses: only those to one field of one struct are compared",
	      PAIRS_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct place_access *a = &d->accesses.items[p->list[first + i]];

		named[i] = (struct named){ pair_field(d->s, descent_event(d, a->context, a->event)->path), p->list[first + i] };
	}
	qsort(named, count, sizeof(*named), by_field);
	for (size_t i = 0; i < count; i++)
		p->list[first + i] = named[i].access;
	for (size_t i = 0, from = 0; i < count; i++)
		if (i + 1 == count || named[i + 1].field != named[from].field) {
			add_batch(p, first + from, i + 1 - from, named[from].field != 0);
			from = i + 1;
		}
	free(named);
}

static void add_class(struct pairing *p, uint32_t node)
{
	struct descent *d = p->d;
	size_t first = p->list_count, write_count = 0, count;

	for (uint32_t i = d->bucket[node]; i; i = d->accesses.items[i - 1].next) {
		p->list[p->list_count++] = i - 1;
		write_count += writes(d, i - 1);
	}
	count = p->list_count - first;
	if (write_count * count > PAIRS_MAX)
		add_fields(p, first, count);
	else if (write_count)
		add_batch(p, first, count, false);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

static int by_rank(const void *x, const void *y)
{
	const struct scan_pair *a = x, *b = y;
	int c = a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->turn > b->turn) - (a->turn < b->turn);

	for (int i = 0; i < 2 && !c; i++) {
		c = strcmp(a->side[i].access.file, b->side[i].access.file);
		c = c ? c : a->side[i].access.line - b->side[i].access.line;
		c = c ? c : a->side[i].access.column - b->side[i].access.column;
		c = c ? c : (int)a->side[i].access.flags - (int)b->side[i].access.flags;
	}
	return c;
}

static int by_variable(const void *x, const void *y)
{
	const struct scan_pair *a = x, *b = y;
	int c = (a->rank > b->rank) - (a->rank < b->rank);

	c = c ? c : strcmp(a->variable, b->variable);
	return c ? c : by_rank(x, y);
}

/* Everybody looks at the top: the first claim on each variable goes before the second on any. */
static void take_turns(struct scan_pair *pairs, size_t count)
{
	qsort(pairs, count, sizeof(*pairs), by_variable);
	for (size_t i = 1; i < count; i++)
		if (pairs[i].rank == pairs[i - 1].rank && !strcmp(pairs[i].variable, pairs[i - 1].variable))
			pairs[i].turn = pairs[i - 1].turn + 1;
	qsort(pairs, count, sizeof(*pairs), by_rank);
}

static void run_workers(struct pairing *p, struct worker *workers, unsigned count)
{
	pthread_t threads[WORKERS_MAX];
	unsigned started = 1;

	for (unsigned i = 0; i < count; i++) {
		workers[i].p = p;
		workers[i].d = *p->d;
		workers[i].number = i;
	}
	for (; started < count; started++)
		if (pthread_create(&threads[started], NULL, work, &workers[started]))
			break;
	work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* In the order of the batches, whoever ran them; a pair of statements of two classes is given once. */
static void gather(struct pairing *p, const struct worker *workers, struct scan_result *result, struct arena *arena)
{
	struct key_set keys = { 0 };
	size_t total = 0;

	for (size_t i = 0; i < p->batches.count; i++)
		total += p->batches.items[i].found_count;
	result->pairs = total ? ARENA_ARRAY(arena, struct scan_pair, total) : NULL;
	for (size_t i = 0; i < p->batches.count; i++) {
		const struct batch *batch = &p->batches.items[i];

		for (size_t k = 0; k < batch->found_count; k++) {
			const struct found *found = &workers[batch->worker].found.items[batch->found_first + k];

			if (new_pair(&keys, found->key, true))
				result->pairs[result->pair_count++] = found->pair;
		}
	}
	free(keys.slots);
}

void pairs_make(struct descent *d, struct scan_result *result, struct arena *arena)
{
	unsigned jobs = d->s->options->jobs ? d->s->options->jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	struct pairing p = { .d = d, .list = calloc(d->accesses.count + 1, sizeof(uint32_t)), .writes = calloc(d->accesses.count + 1, sizeof(uint32_t)) };
	struct worker *workers;

	for (uint32_t node = 0; node < d->bucket_count; node++)
		if (d->bucket[node])
			add_class(&p, node);
	jobs = p.batches.count < 64 ? 1 : jobs < WORKERS_MAX ? jobs : WORKERS_MAX; /* threads cost more than they bring */
	workers = calloc(jobs, sizeof(*workers));
	if (!p.list || !p.writes || !workers)
		BUG("out of memory");
	run_workers(&p, workers, jobs);
	gather(&p, workers, result, arena);
	for (unsigned i = 0; i < jobs; i++) {
		result->considered_pairs += workers[i].considered;
		for (int k = 0; k < EXCLUSION_COUNT; k++)
			result->excluded[k] += workers[i].excluded[k];
		arena_join(arena, &workers[i].arena);
		VEC_FREE(&workers[i].found);
		free(workers[i].keys.slots);
	}
	if (result->pair_count)
		take_turns(result->pairs, result->pair_count);
	VEC_FREE(&p.batches);
	free(p.list);
	free(p.writes);
	free(workers);
}
