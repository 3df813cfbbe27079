/*
 * hint - what would most likely mend it, said only when it is plain: one side lacks the
 * lock the others hold, holds it only for reading, or is not atomic where the other is.
 *
 * Which lock guards a variable is counted over the accesses of all findings on it, at most
 * NEIGHBOURS of them: a variable with a hundred thousand findings needs no better hint.
 */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

#define NEIGHBOURS 64

static int compare(const void *a, const void *b)
{
	const struct candidate *x = *(const struct candidate *const *)a, *y = *(const struct candidate *const *)b;

	return strcmp(x->variable, y->variable);
}

void variables_load(struct report *report)
{
	const struct store_findings *f = &report->findings;

	report->by_variable = ARENA_ARRAY(report->arena, const struct candidate *, f->candidate_count);
	report->by_variable_count = 0;
	for (size_t i = 0; i < f->candidate_count; i++)
		if (f->candidates[i].variable)
			report->by_variable[report->by_variable_count++] = &f->candidates[i];
	if (report->by_variable_count)
		qsort(report->by_variable, report->by_variable_count, sizeof(*report->by_variable), compare);
}

static const struct held_lock *find_lock(const struct access *a, const char *name)
{
	for (size_t i = 0; i < a->lock_count; i++)
		if (!strcmp(a->locks[i].name, name))
			return &a->locks[i];
	return NULL;
}

static bool same_place(const struct access *a, const struct access *b)
{
	return a->line == b->line && a->line && a->file && b->file && !strcmp(a->file, b->file) &&
	       access_is_write(a->flags) == access_is_write(b->flags);
}

/* Accesses of the other findings on the variable, each statement once. */
struct others {
	const struct access *access[2 * NEIGHBOURS];
	size_t count;
};

static void add_other(struct others *others, const struct candidate *c, const struct access *a)
{
	if (same_place(a, &c->access[0]) || same_place(a, &c->access[1]))
		return;
	for (size_t i = 0; i < others->count; i++)
		if (same_place(a, others->access[i]))
			return;
	others->access[others->count++] = a;
}

static void collect(const struct report *r, const struct candidate *c, struct others *others)
{
	const struct candidate **first, **end = r->by_variable + r->by_variable_count;

	others->count = 0;
	if (!c->variable || !r->by_variable_count)
		return;
	first = bsearch(&c, r->by_variable, r->by_variable_count, sizeof(*first), compare);
	while (first && first > r->by_variable && !strcmp(first[-1]->variable, c->variable))
		first--;
	for (size_t i = 0; first && i < NEIGHBOURS && first + i < end && !strcmp(first[i]->variable, c->variable); i++)
		for (int side = 0; side < 2; side++)
			add_other(others, c, &first[i]->access[side]);
}

static size_t count_holders(const struct others *others, const char *lock)
{
	size_t count = 0;

	for (size_t i = 0; i < others->count; i++)
		count += find_lock(others->access[i], lock) != NULL;
	return count;
}

/* The lock most of the others hold, NULL if none holds one. */
static const char *usual_lock(const struct others *others, size_t *holders)
{
	const char *best = NULL;

	*holders = 0;
	for (size_t i = 0; i < others->count; i++)
		for (size_t k = 0; k < others->access[i]->lock_count; k++) {
			const char *name = others->access[i]->locks[k].name;

			if (count_holders(others, name) > *holders) {
				best = name;
				*holders = count_holders(others, name);
			}
		}
	return best;
}

/* " (as do 2 of 3 other accesses found of queue.len)": the weight of the evidence. */
static const char *holders_text(const struct report *r, const struct candidate *c, const struct others *others,
				const char *lock)
{
	size_t count = count_holders(others, lock);

	if (!count)
		return "";
	if (others->count == 1)
		return arena_printf(r->arena, " (as does the other access found of %s)", c->variable);
	if (count == others->count)
		return arena_printf(r->arena, " (as do all %zu other accesses found of %s)", count, c->variable);
	return arena_printf(r->arena, " (as do%s %zu of %zu other accesses found of %s)", count == 1 ? "es" : "", count,
			    others->count, c->variable);
}

static const char *one_side(const struct report *r, const struct candidate *c, const struct others *others, int with)
{
	const struct access *has = &c->access[with], *lacks = &c->access[1 - with];
	const char *lock = has->locks[0].name;

	for (size_t i = 1; i < has->lock_count; i++)
		if (count_holders(others, has->locks[i].name) > count_holders(others, lock))
			lock = has->locks[i].name;
	return arena_printf(r->arena, "%c holds no lock, %c holds %s%s: take %s at %s too", 'b' - with, 'a' + with, lock,
			    holders_text(r, c, others, lock), lock, access_where(r->arena, lacks));
}

/* A write under a read lock, beside another holder of it. */
static const char *only_reading(const struct report *r, const struct candidate *c)
{
	const struct access *a = &c->access[0], *b = &c->access[1];

	for (size_t i = 0; i < a->lock_count; i++) {
		const struct held_lock *other = find_lock(b, a->locks[i].name);

		if (!other || lock_modes_exclude(a->locks[i].mode, other->mode))
			continue;
		return arena_printf(r->arena, "both hold %s, but only for reading; %s must hold it for writing", other->name,
				    !access_is_write(b->flags) ? "a writes and" : !access_is_write(a->flags) ? "b writes and"
											      : "both write and");
	}
	return NULL;
}

static bool share_a_name(const struct access *a, const struct access *b)
{
	for (size_t i = 0; i < a->lock_count; i++)
		if (find_lock(b, a->locks[i].name))
			return true;
	return false;
}

static const char *different_locks(const struct report *r, const struct candidate *c, const struct others *others)
{
	const struct access *a = &c->access[0], *b = &c->access[1];
	size_t for_a = count_holders(others, a->locks[0].name), for_b = count_holders(others, b->locks[0].name);
	const char *usual = for_a == for_b ? NULL : for_a > for_b ? a->locks[0].name : b->locks[0].name;

	if (share_a_name(a, b)) /* two objects of one name: which is meant is not plain */
		return NULL;
	return arena_printf(r->arena, "a holds %s, b holds %s: different locks do not exclude each other; %s",
			    a->locks[0].name, b->locks[0].name,
			    usual ? arena_printf(r->arena, "the other accesses hold %s", usual) : "one of them must guard both");
}

static const char *no_locks(const struct report *r, const struct candidate *c, const struct others *others)
{
	bool a_atomic = c->access[0].flags & ACCESS_ATOMIC, b_atomic = c->access[1].flags & ACCESS_ATOMIC;
	size_t holders;
	const char *lock = usual_lock(others, &holders);

	if (lock)
		return arena_printf(r->arena, "neither side holds a lock; %zu of %zu other access%s found of %s hold%s %s", holders,
				    others->count, others->count == 1 ? "" : "es", c->variable, holders == 1 ? "s" : "", lock);
	if (a_atomic != b_atomic)
		return arena_printf(r->arena, "%c is atomic, %c is not: both must be", a_atomic ? 'a' : 'b', a_atomic ? 'b' : 'a');
	return NULL;
}

const char *report_hint(const struct report *r, const struct candidate *c)
{
	const struct access *a = &c->access[0], *b = &c->access[1];
	struct others others;

	if ((a->flags | b->flags) & ACCESS_FREE) {
		char freed = a->flags & ACCESS_FREE ? 'a' : 'b', user = freed == 'a' ? 'b' : 'a';

		return arena_printf(r->arena, "%c frees the memory while %c may still use it: free it when that thread is done", freed,
				    user);
	}
	collect(r, c, &others);
	if (!a->lock_count && !b->lock_count)
		return no_locks(r, c, &others);
	if (!a->lock_count || !b->lock_count)
		return one_side(r, c, &others, a->lock_count ? 0 : 1);
	if (only_reading(r, c))
		return only_reading(r, c);
	return different_locks(r, c, &others);
}

const char *deadlock_hint(const struct report *r, const struct deadlock *d)
{
	const char *names = "";

	for (size_t i = 0; i < d->edge_count; i++) {
		if (!d->edges[i].holds)
			return NULL;
		names = arena_printf(r->arena, "%s%s%s", names, !i ? "" : i + 1 == d->edge_count ? " and " : ", ", d->edges[i].holds);
	}
	return d->edge_count > 1 ? arena_printf(r->arena, "take %s in one order everywhere", names) : NULL;
}
