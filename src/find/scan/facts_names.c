/*
 * facts_names - facts in other words: in the caller's, after a value is computed anew, when a function
 * is entered or left, shorter ones for large recursions.
 *
 * I1  A must fact whose names mean nothing any more is dropped, a may fact then speaks of anything
 *     (facts.c I3).
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/facts.h"
#include "find/scan/intern.h"

static bool is_name(const struct scan *s, path_id path)
{
	return path && path_at(s, path_at(s, path)->root)->kind != PATH_CLASS && path_at(s, path)->kind != PATH_INT;
}

facts_id facts_rebind(struct scan *s, facts_id id, const struct rebind *r)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	if (!id || id == s->nothing)
		return id;
	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];
		bool had = f.path;

		f.path = f.path ? path_rebind(s, f.path, r) : 0;
		f.bound = f.bound ? path_rebind(s, f.bound, r) : 0;
		if (f.kind < FACT_FIRST_MAY && f.kind != FACT_FENCE && (!is_name(s, f.path) || (f.bound && !is_name(s, f.bound))))
			continue;
		if (f.kind == FACT_RUNS && (!is_name(s, f.path) || (f.bound && !is_name(s, f.bound) && path_at(s, f.bound)->kind != PATH_INT)))
			f.mode |= had, f.path = 0;
		if (f.kind == FACT_RUNS && f.path && f.bound && path_at(s, f.bound)->kind == PATH_INT) {
			f.hi = path_at(s, f.bound)->off;
			f.bound = 0;
		}
		if (f.kind == FACT_PHASE && !is_name(s, f.path))
			continue; /* exclude.c looks whether a barrier has a name everywhere */
		if (had && f.kind == FACT_ESCAPED && path_at(s, path_at(s, f.path)->root)->kind == PATH_GLOBAL)
			continue;
		if (f.kind == FACT_ESCAPED)
			f.path = path_at(s, f.path)->root;
		VEC_PUSH(&out.list, f);
	}
	return facts_built(s, &out);
}

static bool is_of(const struct scan *s, const struct fact *x, uint32_t f, uint32_t value)
{
	return value == IR_NO ? path_mentions_function(s, x->path, f) || path_mentions_function(s, x->bound, f)
			      : path_mentions(s, x->path, f, value) || path_mentions(s, x->bound, f, value);
}

static facts_id forget(struct scan *s, facts_id id, uint32_t f, uint32_t value)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };
	uint32_t first = 0;

	while (first < set->count && !is_of(s, &set->items[first], f, value))
		first++;
	if (first == set->count)
		return id;
	for (uint32_t i = 0; i < set->count; i++) {
		struct fact x = set->items[i];
		bool hit = is_of(s, &x, f, value);

		if (hit && x.kind < FACT_FIRST_MAY)
			continue;
		if (hit && x.kind == FACT_TURN && value != IR_NO)
			continue; /* another turn */
		if (hit && x.kind == FACT_RUNS)
			x.mode |= x.path != 0, x.path = x.bound = 0;
		if (hit && x.kind == FACT_PHASE) {
			x.lo = 0;
			x.hi = 1;
		}
		VEC_PUSH(&out.list, x);
	}
	return facts_built(s, &out);
}

facts_id facts_redefine(struct scan *s, facts_id id, uint32_t f, uint32_t value)
{
	const struct facts *set = facts_at(s, id);

	if (!id || !(set->tags & path_tag(f, value)))
		return id;
	return forget(s, id, f, value);
}

facts_id facts_enter(struct scan *s, facts_id id, uint32_t f)
{
	return facts_at(s, id)->tags ? forget(s, id, f, IR_NO) : id;
}

facts_id facts_drop(struct scan *s, facts_id id, enum fact_kind kind, path_id path)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].kind != kind || (path && set->items[i].path != path))
			VEC_PUSH(&out.list, set->items[i]);
	return facts_built(s, &out);
}

/* A loop is entered: threads that run already are not of this run of it. */
facts_id facts_age(struct scan *s, facts_id id)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	if (!facts_has(s, id, FACT_RUNS))
		return id;
	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];

		f.old |= f.kind == FACT_RUNS || f.kind == FACT_CREATED;
		VEC_PUSH(&out.list, f);
	}
	return facts_built(s, &out);
}

/* Does the path start at something only this function knows? */
static bool is_inner(const struct scan *s, path_id path, uint32_t f)
{
	const struct path *p = path_at(s, path);

	while (p->kind == PATH_FIELD || p->kind == PATH_INDEX || p->kind == PATH_LOAD)
		p = path_at(s, p->base);
	if (p->kind == PATH_VALUE)
		return p->a != f || p->b >= scan_function(s, f)->formal_count;
	return p->kind == PATH_HEAP || p->kind == PATH_STACK || p->kind == PATH_CALL;
}

/* What a caller can use: nothing about the frame that is gone. */
facts_id facts_leave(struct scan *s, facts_id id, uint32_t f, path_id result)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	for (uint32_t i = 0; i < set->count; i++) {
		struct fact x = set->items[i];
		const struct path *root = path_at(s, path_at(s, x.path)->root);
		bool frame = x.path && root->kind == PATH_STACK && root->a == f;

		if (frame && (x.kind < FACT_FIRST_MAY || x.kind == FACT_RELEASED || x.kind == FACT_ESCAPED || x.kind == FACT_SET))
			continue;
		if (x.kind == FACT_TURN)
			continue;
		if (x.kind == FACT_OWN && x.path != path_at(s, result)->root)
			continue; /* nobody can name it any more */
		if (x.kind == FACT_RELEASED && x.path && is_inner(s, x.path, f))
			x.path = path_class(s, path_cell(s, x.path)); /* one name for all that has none outside */
		if (x.kind == FACT_ESCAPED && x.path && !(root->kind == PATH_VALUE && root->a == f && root->b < scan_function(s, f)->formal_count))
			continue;
		VEC_PUSH(&out.list, x);
	}
	return facts_built(s, &out);
}

/* Semaphores that may stand for a lock are given up by any post. */
facts_id facts_give_up(struct scan *s, facts_id id)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].kind != FACT_HELD || set->items[i].old != HELD_SEMAPHORE)
			VEC_PUSH(&out.list, set->items[i]);
	return facts_built(s, &out);
}

/* An acquire fence: what relaxed loads have seen now counts. */
facts_id facts_acquire(struct scan *s, facts_id id)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];

		if (f.kind == FACT_SEEN)
			f.mode = 0;
		VEC_PUSH(&out.list, f);
	}
	return facts_built(s, &out);
}

/* Names that recursion cannot make longer and longer. */
static bool is_short(const struct scan *s, path_id path)
{
	const struct path *p = path_at(s, path);

	return !path || (p->loads <= 2 && p->depth <= 8 && !path_at(s, p->root)->wraps);
}

#define CLASSES_MAX 8 /* of locks that a large recursion may release; more are any */

facts_id facts_coarse(struct scan *s, facts_id id)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };
	path_id classes[CLASSES_MAX];
	size_t count = 0;
	bool any = false;

	if (!id)
		return id;
	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];
		size_t k = 0;

		if (f.kind == FACT_RELEASED && f.path && !any) {
			f.path = path_at(s, path_at(s, f.path)->root)->kind == PATH_GLOBAL ? f.path : path_class(s, path_cell(s, f.path));
			while (k < count && classes[k] != f.path)
				k++;
			if (k == count && count == CLASSES_MAX)
				any = true;
			else if (k == count)
				classes[count++] = f.path;
			continue;
		}
		any |= f.kind == FACT_RELEASED;
		if (f.kind == FACT_RELEASED || (f.kind < FACT_FIRST_MAY && (!is_short(s, f.path) || !is_short(s, f.bound))))
			continue;
		VEC_PUSH(&out.list, f);
	}
	for (size_t k = 0; k < count && !any; k++)
		VEC_PUSH(&out.list, (struct fact){ .kind = FACT_RELEASED, .path = classes[k] });
	if (any)
		VEC_PUSH(&out.list, (struct fact){ .kind = FACT_RELEASED });
	return facts_built(s, &out);
}

facts_id facts_top(struct scan *s, facts_id id)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].kind >= FACT_FIRST_MAY && set->items[i].kind != FACT_RELEASED && set->items[i].kind != FACT_ESCAPED)
			VEC_PUSH(&out.list, set->items[i]);
	VEC_PUSH(&out.list, (struct fact){ .kind = FACT_RELEASED });
	VEC_PUSH(&out.list, (struct fact){ .kind = FACT_ESCAPED });
	return facts_built(s, &out);
}
