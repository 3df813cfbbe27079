/*
 * exclude - the named exclusions: why two accesses that may touch the same bytes cannot race.
 * Each is sound by itself, under what it asks; docs/scan.md has the arguments.
 *
 * I1  An exclusion that is switched off is not asked at all, nor anything it would have implied.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/exclude.h"

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
		return points_to_overlap(s, a->cell, ea->size, b->cell, eb->size);
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

	for EACH_SYNC(d, p, EVENT_SET_OWN) {
		const struct path *value = path_at(s, p->value);
		path_id root = value->root;

		if (value->kind == PATH_INT)
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
	if (ON(ONCE) && (within_once(d, a, b) || within_once(d, b, a)))
		return EXCLUDE_ONCE;
	if (ON(BARRIERS) && apart_by_barrier(d, a, b))
		return EXCLUDE_BARRIERS;
	if (ON(SAME_OBJECT) && same_object(d, v))
		return EXCLUDE_SAME_OBJECT;
	if (ON(INDEXED) && indexed(d, v))
		return EXCLUDE_INDEXED;
	found = ordered(d, a, b, without);
	return found >= 0 ? found : ordered(d, b, a, without);
#undef ON
}

static int by_kind(const void *x, const void *y)
{
	const struct sync_place *a = x, *b = y;
	int c = (a->kind > b->kind) - (a->kind < b->kind);

	c = c ? c : (a->context > b->context) - (a->context < b->context);
	return c ? c : (a->event > b->event) - (a->event < b->event);
}

static void sort_syncs(struct descent *d)
{
	if (d->syncs.count)
		qsort(d->syncs.items, d->syncs.count, sizeof(struct sync_place), by_kind);
	for (size_t i = 0; i < d->syncs.count; i++)
		d->sync_first[d->syncs.items[i].kind + 1]++;
	for (int k = 0; k < EVENT_KIND_COUNT; k++)
		d->sync_first[k + 1] += d->sync_first[k];
}

/* Accesses by class, so that only those that can meet are compared. */
void exclude_begin(struct descent *d)
{
	sort_syncs(d);
	d->bucket_count = points_to_node_count(d->s) + 1;
	d->bucket = calloc(d->bucket_count, sizeof(*d->bucket));
	if (!d->bucket)
		BUG("out of memory");
	for (size_t i = d->accesses.count; i-- > 0;) {
		struct place_access *a = &d->accesses.items[i];

		a->cell = points_to_find(d->s, path_cell(d->s, a->path));
		a->flags = descent_event(d, a->context, a->event)->flags;
		a->next = d->bucket[a->cell.node];
		d->bucket[a->cell.node] = (uint32_t)i + 1;
	}
}
