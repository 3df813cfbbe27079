/*
 * exclude_order - once, barriers, hand-over, publication: the one access happens before the other.
 *
 * I1  What orders must be kept by everybody: all waits at the barrier, all writes to the flag, all posts of the
 *     semaphore are looked at, not only those of the two threads.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/exclude.h"

/* ---- once -------------------------------------------------------------------------------------------------------------------- */

bool within_once(struct descent *d, const struct place_access *a, const struct place_access *b)
{
	const struct facts *x = facts_at(d->s, a->state), *y = facts_at(d->s, b->state);

	for (uint32_t i = 0; i < x->count; i++)
		for (uint32_t j = 0; x->items[i].kind == FACT_INSIDE && j < y->count; j++)
			if ((y->items[j].kind == FACT_INSIDE || y->items[j].kind == FACT_ONCE) &&
			    same_place(d, a->thread, x->items[i].path, b->thread, y->items[j].path))
				return true;
	return false;
}

/* ---- barriers ------------------------------------------------------------------------------------------------------------------ */

/* Every thread that ever waits there is needed for every round, and its number is known. */
static bool barrier_is_closed(struct descent *d, uint32_t thread, path_id path)
{
	struct scan *s = d->s;
	int64_t count = 0, need = -1;
	bool seen[d->threads.count + 1];

	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < d->syncs.count; i++) {
		const struct sync_place *p = &d->syncs.items[i];
		bool here = (p->kind == EVENT_BARRIER || p->kind == EVENT_INIT) &&
			    (!p->path || points_to_overlap(s, path_cell(s, p->path), 1, path_cell(s, path), 1));

		if (!here)
			continue;
		if (!p->path || !same_place(d, p->thread, p->path, thread, path))
			return false;
		if (p->kind == EVENT_INIT && makes_count(d, p)) {
			const struct path *value = path_at(s, p->value);

			if (value->kind != PATH_INT || (need >= 0 && need != value->off))
				return false;
			need = value->off;
		}
		if (p->kind == EVENT_BARRIER && !seen[p->thread]) {
			const struct thread *t = &d->threads.items[p->thread];

			seen[p->thread] = true;
			if (p->thread ? t->instances <= 0 : t->many)
				return false;
			count += p->thread ? t->instances : 1;
		}
	}
	return need > 0 && count <= need;
}

static bool waits_at(struct descent *d, uint32_t thread, path_id in_words)
{
	for EACH_SYNC(d, p, EVENT_BARRIER)
		if (p->thread == thread && in_common(d, thread, p->path) == in_words)
			return true;
	return false;
}

static void phase_of(struct descent *d, const struct place_access *a, path_id barrier, int64_t *lo, int64_t *hi)
{
	const struct facts *x = facts_at(d->s, a->state);

	*lo = *hi = 0;
	for (uint32_t i = 0; i < x->count; i++)
		if (x->items[i].kind == FACT_PHASE && in_common(d, a->thread, x->items[i].path) == barrier) {
			*lo = x->items[i].lo;
			*hi = x->items[i].hi;
		}
}

static bool never_equal(int64_t lo_a, int64_t hi_a, int64_t lo_b, int64_t hi_b)
{
	while (hi_b) {
		int64_t t = hi_a % hi_b;

		hi_a = hi_b;
		hi_b = t;
	}
	return hi_a ? (lo_a - lo_b) % hi_a != 0 : lo_a != lo_b;
}

bool apart_by_barrier(struct descent *d, const struct place_access *a, const struct place_access *b)
{
	for EACH_SYNC(d, p, EVENT_BARRIER) {
		int64_t la, ha, lb, hb;
		path_id barrier;

		if (p->thread != a->thread || !p->path)
			continue;
		barrier = in_common(d, p->thread, p->path);
		if (!waits_at(d, b->thread, barrier))
			continue;
		phase_of(d, a, barrier, &la, &ha);
		phase_of(d, b, barrier, &lb, &hb);
		if (never_equal(la, ha, lb, hb) && barrier_is_closed(d, p->thread, p->path))
			return true;
	}
	return false;
}

/* ---- hand-over and publication: a happens before b ------------------------------------------------------------------------------- */

static bool set_before(struct descent *d, const struct place_access *a, enum fact_kind kind, path_id what)
{
	const struct facts *x = facts_at(d->s, a->state);

	for (uint32_t i = 0; i < x->count; i++)
		if (x->items[i].kind == kind && (!x->items[i].path ||
						 points_to_overlap(d->s, path_cell(d->s, x->items[i].path), 8, path_cell(d->s, what), 8)))
			return true;
	return false;
}

static bool holds(struct descent *d, uint32_t thread, facts_id state, uint32_t other, path_id lock)
{
	const struct facts *x = facts_at(d->s, state);

	for (uint32_t i = 0; i < x->count; i++)
		if (x->items[i].kind == FACT_HELD && !x->items[i].old && x->items[i].mode == LOCK_WRITE &&
		    same_place(d, thread, x->items[i].path, other, lock))
			return true;
	return false;
}

static bool is_zero(const struct scan *s, path_id value)
{
	return value && path_at(s, value)->kind == PATH_INT && !path_at(s, value)->off;
}

/* Every write of something not zero to the flag is made by `a`'s thread, and publishes. */
static bool flag_is_kept(struct descent *d, const struct place_access *a, const struct place_access *b, const struct fact *flag)
{
	struct scan *s = d->s;
	struct cell c = points_to_find(s, path_cell(s, flag->path));
	const struct path *root = path_at(s, path_at(s, in_common(d, b->thread, flag->path))->root);

	if (!c.node || root->kind != PATH_GLOBAL || !(linked_global(s->program, root->a)->flags & IR_G_ZERO))
		return false;
	for (uint32_t i = d->bucket[c.node]; i; i = d->accesses.items[i - 1].next) {
		const struct place_access *w = &d->accesses.items[i - 1];
		const struct event *e = descent_event(d, w->context, w->event);
		bool releases = e->flags & ACCESS_ATOMIC && (e->order == IR_ORDER_RELEASE || e->order == IR_ORDER_ACQ_REL || e->order == IR_ORDER_SEQ_CST);

		/* A relaxed store after a release fence publishes what came before the fence. */
		releases |= e->flags & ACCESS_ATOMIC && facts_has(s, w->state, FACT_FENCE) && !facts_has(s, a->state, FACT_FENCED);
		if (!(e->flags & ACCESS_WRITE) || !path_may_alias(s, w->path, e->size, flag->path, 1))
			continue;
		if (is_zero(s, e->value) && !(e->flags & (ACCESS_RANGE | ACCESS_FREE)))
			continue;
		if (w->thread != a->thread || d->threads.items[a->thread].self || e->flags & (ACCESS_RANGE | ACCESS_FREE))
			return false;
		if (flag->bound ? !holds(d, w->thread, w->state, b->thread, flag->bound) : !releases)
			return false;
	}
	return true;
}

static bool handed_by_semaphore(struct descent *d, const struct place_access *a, const struct place_access *b, path_id sem)
{
	struct scan *s = d->s;
	bool made = false;

	if (d->threads.items[a->thread].self || set_before(d, a, FACT_POSTED, sem))
		return false;
	for (size_t i = 0; i < d->syncs.count; i++) {
		const struct sync_place *p = &d->syncs.items[i];

		if ((p->kind != EVENT_POST && p->kind != EVENT_INIT) || (p->path && !points_to_overlap(s, path_cell(s, p->path), 4, path_cell(s, sem), 4)))
			continue;
		if (p->kind == EVENT_POST && p->thread != a->thread)
			return false;
		if (p->kind == EVENT_INIT && makes_count(d, p)) {
			if (!is_zero(s, p->value))
				return false;
			made = true;
		}
	}
	return made && single(d, in_common(d, b->thread, sem), 0, true);
}

int ordered(struct descent *d, const struct place_access *a, const struct place_access *b, uint32_t without)
{
	const struct facts *y = facts_at(d->s, b->state);

	for (uint32_t i = 0; i < y->count; i++) {
		const struct fact *f = &y->items[i];
		int name = f->kind == FACT_SEEN && !f->bound ? EXCLUDE_FENCES : EXCLUDE_CONDITIONS;

		if ((f->kind != FACT_SEEN && f->kind != FACT_TAKEN) || (f->kind == FACT_SEEN && f->mode) || without >> name & 1)
			continue;
		if (f->kind == FACT_TAKEN && handed_by_semaphore(d, a, b, f->path))
			return name;
		if (f->kind == FACT_SEEN && a->thread != b->thread && !set_before(d, a, FACT_SET, f->path) && flag_is_kept(d, a, b, f))
			return name;
	}
	return -1;
}
