/*
 * read - all findings at once, for reports.
 *
 * Four scans, none of them over the trials: findings, tallies, witnesses, counters. A
 * finding's number leads to its place in the result. Sorting is done here, not in SQL:
 * the rows are wide, pointers to them are not.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"

struct slot {
	int64_t kind;
	size_t index;
};

#define MOST_FINDINGS 100000000 /* numbers are given in order; more does not fit into memory */

struct loading {
	struct store *store;
	struct arena *arena;
	VEC(struct slot) slots; /* by number */
	VEC(struct candidate) candidates;
	VEC(const char *) titles; /* of the candidates */
	VEC(struct deadlock) deadlocks;
	VEC(struct failure) failures;
};

enum { F_NUMBER, F_ID, F_KIND, F_RUNG, F_FOUND_BY, F_TITLE, F_TRIALS, F_HITS, F_COUNT, F_DETAILS };
#define FINDING_COLUMNS "number, id, kind, rung, found_by, title, trials, hits, count, details"

static char *copy_text(struct loading *l, struct cursor *c, int column)
{
	const char *text = l->store->engine->text(c, column);

	return text ? arena_copy(l->arena, text, l->store->engine->size(c, column) + 1) : NULL;
}

static void copy_id(struct loading *l, struct cursor *c, char id[CANDIDATE_ID_SIZE])
{
	const char *text = l->store->engine->text(c, F_ID);

	memcpy(id, text, strnlen(text, CANDIDATE_ID_SIZE - 1));
}

static int add_candidate(struct loading *l, struct cursor *c)
{
	const struct engine *e = l->store->engine;
	struct candidate x = { .rung = (enum rung)e->number(c, F_RUNG), .found_by = (unsigned)e->number(c, F_FOUND_BY),
			       .trials = (unsigned)e->number(c, F_TRIALS), .hits = (unsigned)e->number(c, F_HITS) };

	copy_id(l, c, x.id);
	VEC_PUSH(&l->titles, copy_text(l, c, F_TITLE));
	if (unpack_candidate(l->arena, copy_text(l, c, F_DETAILS), &x))
		return -1;
	VEC_PUSH(&l->candidates, x);
	return 0;
}

static int add_deadlock(struct loading *l, struct cursor *c)
{
	const struct engine *e = l->store->engine;
	struct deadlock x = { .rung = (enum rung)e->number(c, F_RUNG), .found_by = (unsigned)e->number(c, F_FOUND_BY),
			      .trials = (unsigned)e->number(c, F_TRIALS), .hits = (unsigned)e->number(c, F_HITS) };

	copy_id(l, c, x.id);
	if (unpack_deadlock(l->arena, copy_text(l, c, F_DETAILS), &x))
		return -1;
	VEC_PUSH(&l->deadlocks, x);
	return 0;
}

static int add_failure(struct loading *l, struct cursor *c)
{
	struct failure x = { .count = (unsigned)l->store->engine->number(c, F_COUNT) };

	copy_id(l, c, x.id);
	if (unpack_failure(l->arena, copy_text(l, c, F_DETAILS), &x))
		return -1;
	VEC_PUSH(&l->failures, x);
	return 0;
}

static int check_finding(struct loading *l, struct cursor *c)
{
	const struct engine *e = l->store->engine;
	int64_t number = e->number(c, F_NUMBER), rung = e->number(c, F_RUNG);

	if (number < 0 || number > MOST_FINDINGS || rung < 0 || rung >= RUNG_COUNT || !e->text(c, F_DETAILS) ||
	    !e->text(c, F_ID))
		return error("finding number %lld in the store is damaged", (long long)number);
	return 0;
}

static int add_finding(struct loading *l, struct cursor *c)
{
	const struct engine *e = l->store->engine;
	int64_t number = e->number(c, F_NUMBER), kind = e->number(c, F_KIND);

	if (check_finding(l, c))
		return -1;
	while ((int64_t)l->slots.count <= number)
		VEC_PUSH(&l->slots, (struct slot){ KIND_FUZZ, 0 });
	l->slots.items[number].kind = kind;
	switch (kind) {
	case KIND_CANDIDATE:
		l->slots.items[number].index = l->candidates.count;
		return add_candidate(l, c);
	case KIND_DEADLOCK:
		l->slots.items[number].index = l->deadlocks.count;
		return add_deadlock(l, c);
	case KIND_FAILURE:
		l->slots.items[number].index = l->failures.count;
		return add_failure(l, c);
	}
	return 0;
}

typedef int row_reader(struct loading *l, struct cursor *c);

static int each_row(struct loading *l, const char *sql, row_reader *reader)
{
	const struct engine *e = l->store->engine;
	struct cursor *c = e->query(l->store, sql, NO_ARGS);
	int more;

	if (!c)
		return -1;
	while ((more = e->next(l->store, c)) > 0)
		if (reader(l, c)) {
			e->stop(l->store, c);
			return -1;
		}
	return more;
}

static struct slot *slot_of(struct loading *l, int64_t number)
{
	return number >= 0 && number < (int64_t)l->slots.count ? &l->slots.items[number] : NULL;
}

/* Rows come by finding, most frequent outcome first; outcomes grow in the arena. */
static int add_tally(struct loading *l, struct cursor *c)
{
	const struct engine *e = l->store->engine;
	struct slot *slot = slot_of(l, e->number(c, 0));
	struct candidate *x = slot && slot->kind == KIND_CANDIDATE ? &l->candidates.items[slot->index] : NULL;
	struct outcome *grown;

	if (!x)
		return 0;
	grown = ARENA_ARRAY(l->arena, struct outcome, x->outcome_count + 1);
	if (x->outcome_count)
		memcpy(grown, x->outcomes, x->outcome_count * sizeof(*grown));
	grown[x->outcome_count++] = (struct outcome){ copy_text(l, c, 1), (unsigned)e->number(c, 2),
						      (unsigned)e->number(c, 3), (unsigned)e->number(c, 4),
						      e->number(c, 5) != 0 };
	x->outcomes = grown;
	return 0;
}

static const struct witness *read_witness(struct loading *l, struct cursor *c, const char *id)
{
	const struct engine *e = l->store->engine;
	struct witness *w = ARENA_NEW(l->arena, struct witness);

	*w = (struct witness){ .seed = (uint64_t)e->number(c, 1), .policy = copy_text(l, c, 2),
			       .steps = (uint64_t)e->number(c, 3), .switches = (unsigned)e->number(c, 4),
			       .outcome = copy_text(l, c, 5), .schedule = schedule_path(l->arena, l->store, id) };
	return w;
}

static int find_witness(struct loading *l, int64_t number, const char *id, const struct witness **witness)
{
	const struct engine *e = l->store->engine;
	struct cursor *c = e->query(l->store, "SELECT finding, seed, policy, steps, switches, outcome FROM witness"
					      " WHERE finding = $1", ARGS(INT(number)));
	int found = c ? e->next(l->store, c) : -1;

	if (found > 0) {
		*witness = read_witness(l, c, id);
		e->stop(l->store, c);
	}
	return found;
}

static int add_witness(struct loading *l, struct cursor *c)
{
	struct slot *slot = slot_of(l, l->store->engine->number(c, 0));

	if (!slot)
		return 0;
	if (slot->kind == KIND_CANDIDATE) {
		struct candidate *x = &l->candidates.items[slot->index];

		x->witness = read_witness(l, c, x->id);
	} else if (slot->kind == KIND_DEADLOCK) {
		struct deadlock *x = &l->deadlocks.items[slot->index];

		x->witness = read_witness(l, c, x->id);
	} else if (slot->kind == KIND_FAILURE) {
		struct failure *x = &l->failures.items[slot->index];

		x->witness = read_witness(l, c, x->id);
	}
	return 0;
}

/* ---- the result in order -------------------------------------------------------------- */

struct ranked {
	const char *title;
	const struct candidate *candidate;
};

static int rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int c;

	if (x->candidate->rung != y->candidate->rung)
		return x->candidate->rung > y->candidate->rung ? -1 : 1;
	c = strcmp(x->title, y->title);
	return c ? c : strcmp(x->candidate->id, y->candidate->id);
}

static void sort_candidates(struct loading *l, struct store_findings *f)
{
	size_t count = l->candidates.count;
	struct ranked *order = ARENA_ARRAY(l->arena, struct ranked, count);

	for (size_t i = 0; i < count; i++)
		order[i] = (struct ranked){ l->titles.items[i], &l->candidates.items[i] };
	qsort(order, count, sizeof(*order), rank);
	f->candidates = ARENA_ARRAY(l->arena, struct candidate, count);
	f->candidate_count = count;
	for (size_t i = 0; i < count; i++)
		f->candidates[i] = *order[i].candidate;
}

static int rank_deadlock(const void *a, const void *b)
{
	const struct deadlock *x = a, *y = b;

	return x->rung != y->rung ? (x->rung > y->rung ? -1 : 1) : strcmp(x->id, y->id);
}

static int rank_failure(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;
	int c = strcmp(x->outcome, y->outcome);

	return c ? c : strcmp(x->id, y->id);
}

static void sort_rest(struct loading *l, struct store_findings *f)
{
	f->deadlock_count = l->deadlocks.count;
	f->deadlocks = arena_copy(l->arena, l->deadlocks.items, l->deadlocks.count * sizeof(struct deadlock));
	qsort(f->deadlocks, f->deadlock_count, sizeof(struct deadlock), rank_deadlock);
	f->failure_count = l->failures.count;
	f->failures = arena_copy(l->arena, l->failures.items, l->failures.count * sizeof(struct failure));
	qsort(f->failures, f->failure_count, sizeof(struct failure), rank_failure);
}

static int read_counters(struct store *store, struct arena *arena, struct store_findings *f)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT name, sum(value) FROM counter GROUP BY name ORDER BY name", NO_ARGS);
	VEC(typeof(*f->counters)) list = { 0 };
	int more = -1;

	while (c && (more = e->next(store, c)) > 0) {
		typeof(*f->counters) row = { arena_strdup(arena, e->text(c, 0)), (uint64_t)e->number(c, 1) };

		VEC_PUSH(&list, row);
	}
	f->counter_count = list.count;
	f->counters = arena_copy(arena, list.items, list.count * sizeof(*list.items));
	VEC_FREE(&list);
	return more;
}

static int load(struct loading *l, struct store_findings *f)
{
	if (each_row(l, "SELECT " FINDING_COLUMNS " FROM finding WHERE number > 0 ORDER BY number", add_finding) ||
	    each_row(l, "SELECT t.finding, w.text, t.count, t.a_first, t.b_first, t.harm FROM tally t"
			" JOIN word w ON w.number = t.outcome ORDER BY t.finding, t.count DESC, w.text", add_tally) ||
	    each_row(l, "SELECT finding, seed, policy, steps, switches, outcome FROM witness", add_witness))
		return -1;
	sort_candidates(l, f);
	sort_rest(l, f);
	return read_counters(l->store, l->arena, f);
}

static int add_one(struct loading *l, struct cursor *c, int64_t kind)
{
	if (check_finding(l, c))
		return -1;
	return kind == KIND_CANDIDATE ? add_candidate(l, c) : kind == KIND_DEADLOCK ? add_deadlock(l, c) : 0;
}

int store_get_finding(struct store *store, struct arena *arena, const char *id, struct candidate *candidate,
		      struct deadlock *deadlock)
{
	const struct engine *e = store->engine;
	struct loading l = { .store = store, .arena = arena };
	struct cursor *c = e->query(store, "SELECT " FINDING_COLUMNS " FROM finding WHERE id = $1", ARGS(TEXT(id)));
	const struct witness *witness = NULL;
	int64_t kind = 0, number = 0;
	int found = c ? e->next(store, c) : -1;

	if (found > 0) {
		kind = e->number(c, F_KIND);
		number = e->number(c, F_NUMBER);
		if (add_one(&l, c, kind))
			found = -1;
		e->stop(store, c);
	}
	if (found > 0 && find_witness(&l, number, id, &witness) < 0)
		found = -1;
	if (found > 0 && kind == KIND_CANDIDATE) {
		*candidate = l.candidates.items[0];
		candidate->witness = witness;
	}
	if (found > 0 && kind == KIND_DEADLOCK) {
		*deadlock = l.deadlocks.items[0];
		deadlock->witness = witness;
	}
	VEC_FREE(&l.candidates);
	VEC_FREE(&l.titles);
	VEC_FREE(&l.deadlocks);
	return found <= 0 ? found : kind == KIND_CANDIDATE ? 1 : kind == KIND_DEADLOCK ? 2 : 0;
}

int store_read(struct store *store, struct arena *arena, struct store_findings *findings)
{
	struct loading l = { .store = store, .arena = arena };
	int result;

	memset(findings, 0, sizeof(*findings));
	if (store->engine->begin(store, BEGIN_READ))
		return -1;
	result = sql_end(store, load(&l, findings));
	VEC_FREE(&l.slots);
	VEC_FREE(&l.candidates);
	VEC_FREE(&l.titles);
	VEC_FREE(&l.deadlocks);
	VEC_FREE(&l.failures);
	if (!result)
		suppressions_apply(store, arena, findings);
	return result;
}
