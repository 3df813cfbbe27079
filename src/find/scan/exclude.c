/*
 * exclude - the named exclusions: why two accesses that may touch the same bytes cannot race.
 * Each is sound by itself, under what it asks here; docs/scan.md has the arguments.
 *
 * I1  "The same object on both sides" (same_place) is only said of a name that can mean one thing: a
 *     global, an object whose allocation is executed once, or what was loaded from a place that is
 *     not written while threads run (stable).
 * I2  An exclusion that is switched off is not asked at all, nor anything it would have implied.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

/* ---- places in code ------------------------------------------------------------------------------------------ */

static uint32_t block_of(const struct scan *s, uint32_t f, uint32_t instr)
{
	const struct ir_function *function = scan_function(s, f);
	const struct ir_unit *unit = scan_unit(s, f);

	for (uint32_t b = 0; b < function->block_count; b++) {
		const struct ir_block *block = &unit->blocks[function->first_block + b];

		if (instr >= block->first && instr < block->first + block->count)
			return b;
	}
	return 0;
}

uint32_t instr_of_value(const struct scan *s, uint32_t f, uint32_t value)
{
	const struct function_info *info = &s->functions[f];
	const struct ir_unit *unit = scan_unit(s, f);

	if (value >= scan_function(s, f)->value_count) /* a call without a result: see effects.c */
		return value - scan_function(s, f)->value_count;
	for (uint32_t i = 0; i < info->instr_count; i++)
		if (unit->instrs[info->first_instr + i].dst == value)
			return info->first_instr + i;
	return IR_NO;
}

/* Blocks reached from `from` (not counting it unless a cycle leads there) without entering `avoid`. */
static bool reaches(const struct scan *s, uint32_t f, uint32_t from, uint32_t to, uint32_t avoid)
{
	struct work w = { .s = (struct scan *)s, .f = f, .unit = scan_unit(s, f), .function = scan_function(s, f) };
	uint32_t n = w.function->block_count, count = 0, *list = malloc((n + 1) * sizeof(*list));
	bool *seen = calloc(n + 1, 1), found = false;

	if (!list || !seen)
		BUG("out of memory");
	list[count++] = from;
	for (uint32_t k = 0; k < count && !found; k++)
		for (size_t i = 0;; i++) {
			uint32_t next = block_successor(&w, list[k], i);

			if (next == IR_NO)
				break;
			if (next == avoid)
				continue;
			found |= next == to;
			if (!seen[next])
				seen[next] = true, list[count++] = next;
		}
	free(list);
	free(seen);
	return found;
}

bool instr_in_loop(const struct scan *s, uint32_t f, uint32_t instr)
{
	uint32_t b = block_of(s, f, instr);

	return reaches(s, f, b, b, IR_NO);
}

bool instr_dominates(const struct scan *s, uint32_t f, uint32_t before, uint32_t instr)
{
	uint32_t a = block_of(s, f, before), b = block_of(s, f, instr);

	if (a == b)
		return before < instr;
	return a == 0 || (b != 0 && !reaches(s, f, 0, b, a));
}

/* Is the function entered at most once in the life of the program? */
static bool entered_once(struct descent *d, uint32_t f, int depth)
{
	struct scan *s = d->s;
	uint32_t site = d->call_site[f], g;

	if (depth > 30 || !site || site == UINT32_MAX)
		return false;
	site--;
	if (site == UINT32_MAX - 3)
		return !d->threads.items[0].many && f == d->threads.items[0].function;
	if (site == UINT32_MAX - 2)
		return false;
	for (g = 0; g < s->function_count; g++)
		if (s->functions[g].defined && site >= s->functions[g].site_base && site < s->functions[g].site_base + s->functions[g].instr_count)
			break;
	if (g == s->function_count)
		return false;
	return !instr_in_loop(s, g, s->functions[g].first_instr + (site - s->functions[g].site_base)) && entered_once(d, g, depth + 1);
}

static bool value_once(const struct scan *s, uint32_t f, uint32_t value)
{
	uint32_t instr;

	if (value < scan_function(s, f)->formal_count)
		return true;
	instr = instr_of_value(s, f, value);
	return instr != IR_NO && !instr_in_loop(s, f, instr);
}

/* ---- one object, one name --------------------------------------------------------------------------------------- */

static bool single_root(struct descent *d, path_id root)
{
	struct scan *s = d->s;
	const struct path *p = path_at(s, root);

	switch (p->kind) {
	case PATH_INT: case PATH_FIXED: case PATH_FUNCTION:
		return true;
	case PATH_GLOBAL:
		return !(linked_global(s->program, p->a)->flags & IR_G_TLS);
	case PATH_PARENT:
		return single_root(d, p->base);
	case PATH_HEAP: case PATH_VALUE: case PATH_STACK:
		return entered_once(d, p->a, 0) && (p->kind == PATH_STACK || value_once(s, p->a, p->b));
	case PATH_CALL:
		if (!entered_once(d, p->a, 0) || !value_once(s, p->a, p->b))
			return false;
		for (p = path_at(s, p->base); p->kind == PATH_CALL; p = path_at(s, p->base))
			if (!value_once(s, p->a, p->b))
				return false;
		return p->kind == PATH_STACK || value_once(s, p->a, p->b);
	default:
		return false;
	}
}

/* Nothing writes the cell while another thread may run. */
static bool stable(struct descent *d, path_id cell, bool main_side)
{
	struct scan *s = d->s;
	struct cell c = points_to_find(s, path_cell(s, cell));
	uint32_t last = IR_NO;
	unsigned writers = 0;

	if (!c.node)
		return false;
	for (uint32_t i = d->bucket[c.node]; i; i = d->accesses.items[i - 1].next) {
		const struct place_access *a = &d->accesses.items[i - 1];
		const struct event *e = descent_event(d, a->context, a->event);
		uint32_t f = d->contexts.items[a->context].function;

		if (!(e->flags & ACCESS_WRITE) || a->owned || e->flags & ACCESS_FREE)
			continue;
		if (!path_may_alias(s, a->path, e->size, cell, 8))
			continue;
		if (!threads_solo(d, a->thread, a->state))
			return false;
		writers += scan_site(s, f, e->instr) != last || instr_in_loop(s, f, e->instr);
		last = scan_site(s, f, e->instr);
	}
	return writers <= 1 || !main_side;
}

/* Can this name mean only one place? `hole` is a part that both sides have alike already. */
static bool single(struct descent *d, path_id path, path_id hole, bool main_side)
{
	struct scan *s = d->s;
	const struct path *p = path_at(s, path);

	if (path == hole)
		return true;
	switch (p->kind) {
	case PATH_FIELD: return single(d, p->base, hole, main_side);
	case PATH_INDEX: return single(d, p->base, hole, main_side) && single(d, p->index, hole, main_side);
	case PATH_LOAD: return single(d, p->base, hole, main_side) && stable(d, p->base, main_side);
	default: return single_root(d, path);
	}
}

/* In words that mean the same in every thread. */
static path_id in_common(struct descent *d, uint32_t thread, path_id path)
{
	struct rebind r = { .callee = IR_NO, .wrap_f = IR_NO, .parent = thread };

	return path_at(d->s, path_rebind(d->s, path, &r))->canon;
}

static bool same_place(struct descent *d, uint32_t ta, path_id a, uint32_t tb, path_id b)
{
	path_id x = in_common(d, ta, a);

	return x == in_common(d, tb, b) && single(d, x, 0, ta == 0 || tb == 0);
}

/* ---- may two accesses touch the same bytes? -------------------------------------------------------------------------- */

static uint32_t owner_of(const struct scan *s, path_id root, uint32_t thread, bool *own, path_id *inner)
{
	const struct path *p = path_at(s, root);

	*own = p->kind != PATH_PARENT;
	*inner = *own ? root : p->base;
	return *own ? thread : p->a;
}

bool may_be_same(struct descent *d, const struct place_access *a, const struct place_access *b, const char **why)
{
	struct scan *s = d->s;
	path_id ra = path_at(s, a->path)->root, rb = path_at(s, b->path)->root, ia, ib;
	const struct event *ea = descent_event(d, a->context, a->event), *eb = descent_event(d, b->context, b->event);
	bool own_a, own_b, global_a = path_at(s, ra)->kind == PATH_GLOBAL, global_b = path_at(s, rb)->kind == PATH_GLOBAL;
	uint32_t oa, ob;

	*why = "the same global";
	if (path_at(s, ra)->kind == PATH_FIXED || path_at(s, rb)->kind == PATH_FIXED) {
		*why = "the same hidden object of the library";
		return ra == rb;
	}
	if (!path_is_object(s, ra) || !path_is_object(s, rb)) {
		*why = "their pointers may be equal (points-to)";
		return points_to_overlap(s, path_cell(s, a->path), ea->size, path_cell(s, b->path), eb->size);
	}
	if (global_a || global_b)
		return ra == rb && path_may_alias(s, a->path, ea->size, b->path, eb->size);
	oa = owner_of(s, ra, a->thread, &own_a, &ia);
	ob = owner_of(s, rb, b->thread, &own_b, &ib);
	*why = path_at(s, path_unwrap(s, ra))->kind == PATH_STACK ? "the same local variable, given to the thread" : "the same heap object";
	if ((own_a && own_b) || oa != ob)
		return false;
	return path_may_alias(s, path_replace(s, a->path, ra, ia), ea->size, path_replace(s, b->path, rb, ib), eb->size);
}

/* ---- locks --------------------------------------------------------------------------------------------------------------- */

/* sem_init and pthread_barrier_init give a number; the others only an object. */
static bool makes_count(struct descent *d, const struct sync_place *p)
{
	uint32_t f = d->contexts.items[p->context].function;
	const struct ir_instr *in = &scan_unit(d->s, f)->instrs[descent_event(d, p->context, p->event)->instr];

	return in->op == IR_CALL && in->size >= 3;
}

/* A lock that is made or unmade while others may use it is not one lock. */
static bool find_remade(struct descent *d, path_id path)
{
	struct scan *s = d->s;

	for (size_t i = 0; i < d->syncs.count; i++) {
		const struct sync_place *p = &d->syncs.items[i];

		if (p->kind != EVENT_INIT || (p->path && !points_to_overlap(s, path_cell(s, p->path), 1, path_cell(s, path), 1)))
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

static int common_lock(struct descent *d, const struct place_access *a, const struct place_access *b)
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

static bool same_object(struct descent *d, const struct pair_view *v)
{
	struct scan *s = d->s;
	path_id ka = without_field(s, v->a->path), kb = without_field(s, v->b->path);

	if (lock_by_key(d, v->a, ka, v->b, kb))
		return true;
	ka = index_key(s, v->a->path, v->ea->size);
	kb = index_key(s, v->b->path, v->eb->size);
	return ka && kb && lock_by_key(d, v->a, ka, v->b, kb);
}

/* ---- once -------------------------------------------------------------------------------------------------------------------- */

static bool once(struct descent *d, const struct place_access *a, const struct place_access *b)
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
	for (size_t i = 0; i < d->syncs.count; i++)
		if (d->syncs.items[i].kind == EVENT_BARRIER && d->syncs.items[i].thread == thread &&
		    in_common(d, thread, d->syncs.items[i].path) == in_words)
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

static bool barriers(struct descent *d, const struct place_access *a, const struct place_access *b)
{
	for (size_t i = 0; i < d->syncs.count; i++) {
		const struct sync_place *p = &d->syncs.items[i];
		int64_t la, ha, lb, hb;
		path_id barrier;

		if (p->kind != EVENT_BARRIER || p->thread != a->thread || !p->path)
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

static int ordered(struct descent *d, const struct place_access *a, const struct place_access *b, uint32_t without)
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

/* ---- array elements and objects of one instance ------------------------------------------------------------------------------------ */

/* The element of an array with this index, wholly inside: its array, or 0. */
static path_id element_by(struct descent *d, path_id path, uint32_t size, path_id index, int64_t *stride)
{
	struct scan *s = d->s;
	const struct path *p = path_at(s, path);
	int64_t off = 0;

	if (p->kind == PATH_FIELD) {
		off = p->off;
		p = path_at(s, p->base);
	}
	if (p->kind != PATH_INDEX || p->index != index || size == UINT32_MAX || off < 0 || off + size > p->off)
		return 0;
	*stride = p->off;
	return p->base;
}

/* A store that gives every element its own counter, before the thread that gets the element is created. */
static path_id loaded_value(struct descent *d, const struct thread *t, path_id path)
{
	struct scan *s = d->s;
	const struct path *p = path_at(s, path);
	struct cell c;
	const struct place_access *only = NULL;
	struct rebind r = { .callee = IR_NO, .wrap_f = IR_NO, .parent = t->parent };

	if (p->kind != PATH_LOAD)
		return path;
	c = points_to_find(s, path_cell(s, p->base));
	for (uint32_t i = c.node ? d->bucket[c.node] : 0; i; i = d->accesses.items[i - 1].next) {
		const struct place_access *w = &d->accesses.items[i - 1];
		const struct event *e = descent_event(d, w->context, w->event);

		if (!(e->flags & ACCESS_WRITE) || !points_to_overlap(s, path_cell(s, w->path), e->size, path_cell(s, p->base), 1))
			continue;
		if (e->flags & ACCESS_FREE)
			continue;
		if (only || e->flags & ACCESS_RANGE || !e->value)
			return path;
		only = w;
	}
	if (!only || only->thread != t->parent || in_common(d, only->thread, only->path) != path_at(s, p->base)->canon)
		return path;
	if (d->contexts.items[only->context].function != t->site_function ||
	    !instr_dominates(s, t->site_function, descent_event(d, only->context, only->event)->instr, t->site_instr) ||
	    threads_contains(d, only->state, FACT_TURN, t))
		return path;
	{
		const struct context *x = &d->contexts.items[only->context];
		struct rebind args = { .callee = x->function, .formal_count = scan_function(s, x->function)->formal_count, .actuals = x->args,
				       .actual_count = x->arg_count, .wrap_f = IR_NO, .parent = IR_NO };

		return path_rebind(s, path_rebind(s, descent_event(d, only->context, only->event)->value, &args), &r);
	}
}

static path_id resolve_index(struct descent *d, const struct thread *t, path_id path)
{
	struct scan *s = d->s;
	const struct path *p = path_at(s, path);

	if (p->kind == PATH_FIELD)
		return path_field(s, resolve_index(d, t, p->base), p->off);
	if (p->kind == PATH_INDEX)
		return path_index(s, p->base, p->off, loaded_value(d, t, p->index));
	return path;
}

static bool in_turn(struct descent *d, facts_id state, const struct thread *t)
{
	const struct facts *x = facts_at(d->s, state);

	for (uint32_t i = 0; i < x->count; i++)
		if (x->items[i].kind == FACT_TURN && x->items[i].site == t->site)
			return true;
	return false;
}

static bool indexed(struct descent *d, const struct pair_view *v)
{
	struct scan *s = d->s;
	const struct place_access *a = v->a, *b = v->b;
	const struct event *ea = v->ea, *eb = v->eb;
	const struct thread *t;
	path_id key, base_a, base_b, pa, pb;
	int64_t sa, sb;

	if (d->threads.items[a->thread].parent == b->thread) {
		const struct place_access *x = a;
		const struct event *e = ea;

		a = b, b = x;
		ea = eb, eb = e;
	}
	t = &d->threads.items[b->thread];
	if (t->parent == IR_NO || !t->distinct || (a->thread != b->thread && a->thread != t->parent))
		return false;
	if (t->fresh) {
		path_id object = path_wrap(s, PATH_PARENT, path_at(s, t->argument)->root, t->parent, 0);

		return a->thread == b->thread && path_at(s, a->path)->root == object && path_at(s, b->path)->root == object;
	}
	key = path_wrap(s, PATH_PARENT, t->induction, t->parent, 0);
	pb = resolve_index(d, t, b->path);
	base_b = element_by(d, pb, eb->size, key, &sb);
	if (a->thread == b->thread) {
		pa = resolve_index(d, t, a->path);
		base_a = element_by(d, pa, ea->size, key, &sa);
	} else { /* the creator, at the element whose thread it has not yet created */
		base_a = in_turn(d, a->state, t) ? 0 : element_by(d, a->path, ea->size, t->induction, &sa);
	}
	return base_a && base_b && sa == sb && same_place(d, a->thread, base_a, b->thread, base_b);
}

/* ---- the list ----------------------------------------------------------------------------------------------------------------------- */

/* 2: of this thread alone; 1: made by this thread, so another thread's it is not; 0: anything. */
static int is_thread_local(const struct scan *s, const struct place_access *a)
{
	path_id id = path_at(s, a->path)->root;
	const struct path *root = path_at(s, id);

	if (root->kind == PATH_OWN || (root->kind == PATH_GLOBAL && linked_global(s->program, root->a)->flags & IR_G_TLS))
		return 2;
	return root->kind != PATH_PARENT && root->kind != PATH_GLOBAL && path_is_object(s, id);
}

/* Everything put into slots of pthread_setspecific was made by the thread that put it there. */
static bool slots_are_own(struct descent *d)
{
	struct scan *s = d->s;

	for (size_t i = 0; i < d->syncs.count; i++) {
		const struct path *value = path_at(s, d->syncs.items[i].value);
		path_id root = value->root;

		if (d->syncs.items[i].kind != EVENT_SET_OWN || value->kind == PATH_INT)
			continue;
		if (path_at(s, root)->kind == PATH_PARENT || path_at(s, root)->kind == PATH_GLOBAL || !path_is_object(s, root))
			return false;
	}
	return true;
}

int exclude(struct descent *d, const struct pair_view *v)
{
	uint32_t without = d->s->options->without;
	const struct place_access *a = v->a, *b = v->b;
	bool single_thread = false, parallel = threads_parallel(d, a, b, &single_thread);
	int found;

#define ON(name) (!(without >> EXCLUDE_##name & 1))
	if (ON(ONCE_THREAD) && single_thread)
		return EXCLUDE_ONCE_THREAD;
	if (ON(THREADS) && !parallel && !single_thread)
		return EXCLUDE_THREADS;
	if (ON(BEFORE_SHARING) && (a->owned || b->owned))
		return EXCLUDE_BEFORE_SHARING;
	if (ON(ATOMICS) && v->ea->flags & v->eb->flags & ACCESS_ATOMIC)
		return EXCLUDE_ATOMICS;
	if (ON(TLS) && is_thread_local(d->s, a) + is_thread_local(d->s, b) >= 3 && slots_are_own(d))
		return EXCLUDE_TLS;
	found = ON(LOCKS) || ON(MODES) ? common_lock(d, a, b) : -1;
	if (found >= 0 && !(without >> found & 1))
		return found;
	if (ON(ONCE) && (once(d, a, b) || once(d, b, a)))
		return EXCLUDE_ONCE;
	if (ON(BARRIERS) && barriers(d, a, b))
		return EXCLUDE_BARRIERS;
	if (ON(SAME_OBJECT) && same_object(d, v))
		return EXCLUDE_SAME_OBJECT;
	if (ON(INDEXED) && indexed(d, v))
		return EXCLUDE_INDEXED;
	found = ordered(d, a, b, without);
	return found >= 0 ? found : ordered(d, b, a, without);
#undef ON
}

/* Accesses by class, so that only those that can meet are compared. */
void exclude_begin(struct descent *d)
{
	d->bucket_count = points_to_node_count(d->s) + 1;
	d->bucket = calloc(d->bucket_count, sizeof(*d->bucket));
	if (!d->bucket)
		BUG("out of memory");
	for (size_t i = d->accesses.count; i-- > 0;) {
		struct place_access *a = &d->accesses.items[i];
		uint32_t node = points_to_find(d->s, path_cell(d->s, a->path)).node;

		a->next = d->bucket[node];
		d->bucket[node] = (uint32_t)i + 1;
	}
}
