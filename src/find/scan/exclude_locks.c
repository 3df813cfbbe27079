/*
 * exclude_locks - locks, lock-modes, same-object: a lock common to both sides. Also what guards like one: a
 * semaphore that starts at one, several handed round, a flag that is only set by taking it.
 *
 * I1  The lock is one object (exclude_places.c), or lies in (or has the index of) the object it guards: then equal
 *     data addresses mean equal locks, whatever object it is.
 * I2  A lock that is made or unmade while others may use it is none.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/exclude.h"

/* ---- locks --------------------------------------------------------------------------------------------------------------- */

/* sem_init and pthread_barrier_init give a number; the others only an object. */
bool makes_count(struct descent *d, const struct sync_place *p)
{
	uint32_t f = d->contexts.items[p->context].function;
	const struct ir_instr *in = &scan_unit(d->s, f)->instrs[descent_event(d, p->context, p->event)->instr];

	return in->op == IR_CALL && in->size >= 3;
}

/* A lock that is made or unmade while others may use it is not one lock. */
static bool find_remade(struct descent *d, path_id path)
{
	struct scan *s = d->s;

	for EACH_SYNC(d, p, EVENT_INIT) {
		if (p->path && !points_to_overlap(s, path_cell(s, p->path), 1, path_cell(s, path), 1))
			continue;
		if (!threads_solo(d, p->thread, p->state) && !(p->path && facts_find(s, p->state, FACT_OWN, path_at(s, p->path)->root)))
			return true;
	}
	return false;
}

static bool lock_is_kept(struct descent *d, path_id path)
{
	size_t at = path % (sizeof(d->lock_cache) / sizeof(d->lock_cache[0]));

	if (d->lock_cache[at].path != path) {
		d->lock_cache[at].path = path;
		d->lock_cache[at].kept = !find_remade(d, path);
	}
	return d->lock_cache[at].kept;
}

/* A semaphore guards like a lock if it starts at one at most and is posted only by who has taken it. */
static bool semaphore_locks(struct descent *d, uint32_t thread, path_id path)
{
	struct scan *s = d->s;
	bool made = false;

	for (size_t i = 0; i < d->syncs.count; i++) {
		const struct sync_place *p = &d->syncs.items[i];

		if ((p->kind != EVENT_POST && p->kind != EVENT_INIT) || !points_to_overlap(s, path_cell(s, p->path), 4, path_cell(s, path), 4))
			continue;
		if (p->kind == EVENT_INIT) {
			const struct path *value = path_at(s, p->value);

			if (!makes_count(d, p))
				continue; /* destroyed, not made */
			if (value->kind != PATH_INT || value->off < 0 || value->off > 1 || !threads_solo(d, p->thread, p->state))
				return false;
			made = true;
		} else {
			const struct fact *held = facts_find(s, p->state, FACT_HELD, p->path);

			if (!held)
				return false;
		}
	}
	return made;
}

/*
 * Semaphores handed round: if they start at one all together, and every post is made by who has taken one
 * (and counts as giving it up), at most one thread has one.
 */
static bool baton(struct descent *d, const struct place_access *a, const struct place_access *b)
{
	struct scan *s = d->s;
	int64_t total = 0;
	bool one[2] = { false, false };
	const struct place_access *side[2] = { a, b };

	for (int i = 0; i < 2; i++)
		for (uint32_t j = 0; j < facts_at(s, side[i]->state)->count; j++) {
			const struct fact *f = &facts_at(s, side[i]->state)->items[j];

			one[i] |= f->kind == FACT_HELD && f->old == HELD_SEMAPHORE && single(d, in_common(d, side[i]->thread, f->path), 0, true);
		}
	if (!one[0] || !one[1])
		return false;
	for (size_t i = 0; i < d->syncs.count; i++) {
		const struct sync_place *p = &d->syncs.items[i];
		bool holds_one = false;

		if (p->kind == EVENT_INIT && makes_count(d, p)) {
			const struct path *value = path_at(s, p->value);
			uint32_t f = d->contexts.items[p->context].function;

			if (value->kind != PATH_INT || value->off < 0 || !threads_solo(d, p->thread, p->state) || !entered_once(d, f, 0) ||
			    instr_in_loop(s, f, descent_event(d, p->context, p->event)->instr))
				return false;
			total += value->off;
		}
		if (p->kind != EVENT_POST)
			continue;
		for (uint32_t j = 0; j < facts_at(s, p->state)->count; j++)
			holds_one |= facts_at(s, p->state)->items[j].kind == FACT_HELD && facts_at(s, p->state)->items[j].old == HELD_SEMAPHORE;
		if (!holds_one)
			return false;
	}
	return total == 1;
}

/* A flag guards like a lock if it is only ever set by taking it, and cleared by who has it. */
static bool flag_locks(struct descent *d, uint32_t thread, path_id path)
{
	struct scan *s = d->s;
	struct cell c = points_to_find(s, path_cell(s, path));

	for (uint32_t i = c.node ? d->bucket[c.node] : 0; i; i = d->accesses.items[i - 1].next) {
		const struct place_access *w = &d->accesses.items[i - 1];
		const struct event *e = descent_event(d, w->context, w->event);
		const struct ir_unit *unit = scan_unit(s, d->contexts.items[w->context].function);
		const struct ir_instr *in = &unit->instrs[e->instr];
		bool mine = false;

		if (!(e->flags & ACCESS_WRITE) || !points_to_overlap(s, path_cell(s, w->path), e->size, path_cell(s, path), 1))
			continue;
		if (w->owned || takes_flag(unit, in) || threads_solo(d, w->thread, w->state))
			continue;
		if (in->op != IR_STORE || !(e->flags & ACCESS_ATOMIC) || !e->value || path_at(s, e->value)->kind != PATH_INT || path_at(s, e->value)->off ||
		    (e->order != IR_ORDER_RELEASE && e->order != IR_ORDER_SEQ_CST))
			return false;
		for (uint32_t j = 0; j < facts_at(s, w->state)->count; j++) {
			const struct fact *f = &facts_at(s, w->state)->items[j];

			mine |= f->kind == FACT_HELD && f->old == HELD_FLAG && f->path == w->path;
		}
		if (!mine)
			return false;
	}
	return c.node != 0;
}

int common_lock(struct descent *d, const struct place_access *a, const struct place_access *b)
{
	struct scan *s = d->s;
	const struct facts *x = facts_at(s, a->state), *y = facts_at(s, b->state);

	for (uint32_t i = 0; i < x->count; i++)
		for (uint32_t j = 0; x->items[i].kind == FACT_HELD && j < y->count; j++) {
			const struct fact *f = &x->items[i], *g = &y->items[j];

			if (g->kind != FACT_HELD || !lock_modes_exclude(f->mode, g->mode) || !same_place(d, a->thread, f->path, b->thread, g->path))
				continue;
			if (f->old != g->old || !lock_is_kept(d, f->path) || (f->old == HELD_SEMAPHORE && !semaphore_locks(d, a->thread, f->path)) ||
			    (f->old == HELD_FLAG && !flag_locks(d, a->thread, f->path)))
				continue;
			return f->mode == g->mode ? EXCLUDE_LOCKS : EXCLUDE_MODES;
		}
	return baton(d, a, b) ? EXCLUDE_LOCKS : -1;
}

/* ---- the lock lies in the object, or has its index --------------------------------------------------------------------------- */

static path_id without_field(const struct scan *s, path_id path)
{
	const struct path *p = path_at(s, path);

	return p->kind == PATH_FIELD ? p->base : path;
}

/*
 * With key K (a base, or an index) the access is at K + c, or at element K of one array; the lock is what
 * is left when K is taken out. If both sides have the same access and lock around their K, equal addresses
 * mean equal K, and equal K mean the same lock.
 */
static bool lock_by_key(struct descent *d, const struct place_access *a, path_id key_a, const struct place_access *b, path_id key_b)
{
	struct scan *s = d->s;
	path_id hole = path_plain(s, PATH_FIXED, UINT32_MAX - 1, 0);
	path_id pa = in_common(d, a->thread, path_replace(s, a->path, key_a, hole)), pb = in_common(d, b->thread, path_replace(s, b->path, key_b, hole));
	const struct facts *x = facts_at(s, a->state), *y = facts_at(s, b->state);
	bool main_side = a->thread == 0 || b->thread == 0;

	if (pa != pb || !single(d, pa, hole, main_side))
		return false;
	for (uint32_t i = 0; i < x->count; i++)
		for (uint32_t j = 0; x->items[i].kind == FACT_HELD && !x->items[i].old && j < y->count; j++) {
			const struct fact *f = &x->items[i], *g = &y->items[j];
			path_id la, lb;

			if (g->kind != FACT_HELD || g->old || !lock_modes_exclude(f->mode, g->mode))
				continue;
			la = path_replace(s, f->path, key_a, hole);
			lb = path_replace(s, g->path, key_b, hole);
			if (la == f->path || lb == g->path)
				continue;
			la = in_common(d, a->thread, la);
			if (la == in_common(d, b->thread, lb) && single(d, la, hole, main_side) && lock_is_kept(d, f->path))
				return true;
		}
	return false;
}

/* Element i of an array, wholly inside it. */
static path_id index_key(const struct scan *s, path_id path, uint32_t size)
{
	const struct path *p = path_at(s, path);
	int64_t off = 0;

	if (p->kind == PATH_FIELD) {
		off = p->off;
		p = path_at(s, p->base);
	}
	if (p->kind != PATH_INDEX || p->index == s->any || off < 0 || size == UINT32_MAX || off + size > p->off)
		return 0;
	return p->index;
}

bool same_object(struct descent *d, const struct pair_view *v)
{
	struct scan *s = d->s;
	path_id ka = without_field(s, v->a->path), kb = without_field(s, v->b->path);

	if (lock_by_key(d, v->a, ka, v->b, kb))
		return true;
	ka = index_key(s, v->a->path, v->ea->size);
	kb = index_key(s, v->b->path, v->eb->size);
	return ka && kb && lock_by_key(d, v->a, ka, v->b, kb);
}
