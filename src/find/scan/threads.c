/*
 * threads - who may run in parallel, from the states at creations and accesses.
 *
 * At a point of a thread, RUNS says which of its children may still be running there (created, not
 * surely joined), CREATED which were ever created. Two accesses run in parallel only if
 *   - one thread is an ancestor of the other, and the child on the way may run at the ancestor's access;
 *   - they come from two children of one ancestor, and one child may run when the other is created;
 *   - or two instances of the thread (or of a common ancestor) may exist.
 *
 * I1  A joined thread may leave children behind: then CREATED is asked instead of RUNS, unless the
 *     thread is `clean` (its children are joined at all its ends).
 * I2  An id that two threads write, or that something else writes, proves no join.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

bool threads_contains(struct descent *d, facts_id state, enum fact_kind kind, const struct thread *t)
{
	struct scan *s = d->s;
	const struct facts *set = facts_at(s, state);

	for (uint32_t i = 0; i < set->count; i++) {
		const struct fact *f = &set->items[i];

		if (f->kind != kind || f->site != t->site)
			continue;
		if (kind == FACT_CREATED || !f->path || !t->id || path_strip_calls(s, path_at(s, f->path)->canon) == path_at(s, t->id)->canon ||
		    path_at(s, path_at(s, t->id)->root)->kind == PATH_CLASS)
			return true;
	}
	return false;
}

/* May child `c`, or what it left behind, run when its parent is at this state? */
static bool may_run(struct descent *d, facts_id state, uint32_t c)
{
	const struct thread *t = &d->threads.items[c];

	if (t->unjoinable || !t->clean)
		return threads_contains(d, state, FACT_CREATED, t);
	return threads_contains(d, state, FACT_RUNS, t);
}

static bool may_run_anything(struct descent *d, facts_id state, uint32_t parent)
{
	for (uint32_t t = 0; t < d->threads.count; t++)
		if (d->threads.items[t].parent == parent && may_run(d, state, t))
			return true;
	return false;
}

bool threads_solo(struct descent *d, uint32_t thread, facts_id state)
{
	return thread == 0 && !d->threads.items[0].many && d->threads.items[0].parent == IR_NO && !may_run_anything(d, state, thread);
}

/* ---- settling --------------------------------------------------------------------------------------------- */

static void ends(struct descent *d)
{
	struct scan *s = d->s;

	for (uint32_t i = 0; i < d->contexts.count; i++) {
		const struct context *c = &d->contexts.items[i];
		struct thread *t = &d->threads.items[c->thread];
		const struct summary *summary = &s->functions[c->function].summary;
		struct rebind r = { .callee = c->function, .formal_count = scan_function(s, c->function)->formal_count, .actuals = c->args,
				    .actual_count = c->arg_count, .wrap_f = IR_NO, .parent = IR_NO };

		if (c->function != t->function || (c->parent != IR_NO && d->contexts.items[c->parent].thread == c->thread))
			continue;
		for (int e = 0; e < 2; e++)
			if (summary->exit[e])
				t->exit = facts_meet(s, t->exit, facts_compose(s, c->state, facts_rebind(s, summary->exit[e], &r)));
	}
	for (size_t i = 0; i < d->syncs.count; i++)
		if (d->syncs.items[i].kind == EVENT_EXIT) {
			struct thread *t = &d->threads.items[d->syncs.items[i].thread];

			t->exit = facts_meet(s, t->exit, d->syncs.items[i].state);
		}
}

static void clean(struct descent *d)
{
	for (uint32_t t = (uint32_t)d->threads.count; t-- > 0;) { /* children come after their parents */
		struct thread *thread = &d->threads.items[t];

		thread->clean = true;
		for (uint32_t c = 0; c < d->threads.count && thread->clean; c++)
			if (d->threads.items[c].parent == t)
				thread->clean = thread->exit && !may_run(d, thread->exit, c) && d->threads.items[c].clean && !thread->many;
	}
}

/* The place of the id, if two threads create into it, says nothing. */
static void contested(struct descent *d)
{
	struct scan *s = d->s;

	for (uint32_t a = 0; a < d->threads.count; a++)
		for (uint32_t b = 0; b < d->threads.count; b++) {
			struct thread *x = &d->threads.items[a], *y = &d->threads.items[b];

			if (x->parent == IR_NO || y->parent == IR_NO || x->parent == y->parent || !x->id || !y->id)
				continue;
			if (path_at(s, path_unwrap(s, path_at(s, path_at(s, x->id)->base)->root))->kind == PATH_STACK)
				continue;
			if (path_at(s, x->id)->kind == PATH_LOAD && path_at(s, y->id)->kind == PATH_LOAD &&
			    path_may_alias(s, path_at(s, x->id)->base, 8, path_at(s, y->id)->base, 8))
				x->unjoinable = true;
		}
}

static bool has_old(struct descent *d, facts_id state, enum fact_kind kind, const struct thread *t)
{
	const struct facts *set = facts_at(d->s, state);

	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].kind == kind && set->items[i].site == t->site && set->items[i].old)
			return true;
	return false;
}

/* The argument differs from instance to instance: the counter, an element by it, an object made for it. */
static bool own_argument(struct descent *d, const struct thread *t)
{
	struct scan *s = d->s;

	if (!t->argument)
		return false;
	if (t->fresh)
		return true;
	if (!t->induction)
		return false;
	for (const struct path *p = path_at(s, t->argument);; p = path_at(s, p->base)) {
		if (p == path_at(s, t->induction))
			return true;
		if (p->kind == PATH_INDEX && p->index == t->induction)
			return true;
		if (p->kind != PATH_FIELD && p->kind != PATH_INDEX)
			return false;
	}
}

void threads_settle(struct descent *d)
{
	contested(d);
	ends(d);
	clean(d);
	for (uint32_t i = 0; i < d->threads.count; i++) { /* parents first */
		struct thread *t = &d->threads.items[i];
		bool parent_self = t->parent != IR_NO && d->threads.items[t->parent].self;
		bool again = false, old = false, before = false;

		for (size_t b = 0; b < t->born.count; b++) {
			again |= may_run(d, t->born.items[b], i);
			old |= has_old(d, t->born.items[b], FACT_RUNS, t);
			before |= has_old(d, t->born.items[b], FACT_CREATED, t) || (!t->looped && threads_contains(d, t->born.items[b], FACT_CREATED, t));
		}
		t->self = t->many || t->handler || parent_self || again;
		t->distinct = own_argument(d, t) && !t->many && (t->fresh || (!old && !parent_self));
		if (t->many || parent_self || t->handler || before || (t->parent != IR_NO && d->threads.items[t->parent].parent != IR_NO && d->threads.items[t->parent].instances != 1))
			t->instances = 0;
	}
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

static unsigned depth_of(const struct descent *d, uint32_t t)
{
	unsigned depth = 0;

	while ((t = d->threads.items[t].parent) != IR_NO)
		depth++;
	return depth;
}

/* Ancestor of t whose parent is p; IR_NO if there is none. */
static uint32_t child_towards(const struct descent *d, uint32_t p, uint32_t t)
{
	while (t != IR_NO && d->threads.items[t].parent != p)
		t = d->threads.items[t].parent;
	return t;
}

static uint32_t common_ancestor(const struct descent *d, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a == IR_NO || b == IR_NO)
			return IR_NO;
		if (depth_of(d, a) >= depth_of(d, b))
			a = d->threads.items[a].parent;
		else
			b = d->threads.items[b].parent;
	}
	return a;
}

static bool any_self(const struct descent *d, uint32_t t)
{
	for (; t != IR_NO; t = d->threads.items[t].parent)
		if (d->threads.items[t].self)
			return true;
	return false;
}

static bool born_while(struct descent *d, uint32_t running, uint32_t born)
{
	const struct thread *t = &d->threads.items[born];

	for (size_t i = 0; i < t->born.count; i++)
		if (may_run(d, t->born.items[i], running))
			return true;
	return false;
}

bool threads_parallel(struct descent *d, const struct place_access *a, const struct place_access *b, bool *single)
{
	uint32_t ta = a->thread, tb = b->thread, p = common_ancestor(d, ta, tb), ca, cb;

	*single = false;
	if (p == IR_NO) /* two roots: entries of a kernel or library */
		return true;
	if (ta == tb) {
		*single = !d->threads.items[ta].self;
		return d->threads.items[ta].self;
	}
	if (any_self(d, p))
		return true;
	ca = child_towards(d, p, ta);
	cb = child_towards(d, p, tb);
	if (p == ta)
		return may_run(d, a->state, cb);
	if (p == tb)
		return may_run(d, b->state, ca);
	if (ca == cb)
		return true;
	return born_while(d, ca, cb) || born_while(d, cb, ca);
}
