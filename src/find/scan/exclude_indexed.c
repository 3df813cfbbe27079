/*
 * exclude_indexed - indexed: elements of an array and objects that belong to one instance of a thread, by the
 * argument it was created with.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/exclude.h"

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

bool indexed(struct descent *d, const struct pair_view *v)
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
