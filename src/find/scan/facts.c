/*
 * facts - what is known at a point, relative to the entry of the function: the paper's relative
 * lockset (HELD is L+, RELEASED is L-) and, in the same form, what goes beyond it.
 *
 * I1  Facts that must hold (HELD, OWN, ...) meet by intersection, those that may (RELEASED,
 *     RUNS, ...) by union: the paper's lattice, for each kind. 0 is bottom: no way leads here.
 * I2  Ownership is a lock: an object is OWNed from its allocation until a pointer to it ESCAPEs,
 *     and composes at calls exactly as L+ and L- do.
 * I3  Dropping a must fact or adding a may fact is always sound; that is what happens when a path
 *     has no name in the caller, or a set grows beyond FACTS_MAX.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/facts.h"
#include "find/scan/intern.h"

#define FACTS_MAX 192
#define FACTS_MAX_LARGE 48

static uint64_t set_hash(const void *item)
{
	return ((const struct facts *)item)->hash;
}

static bool set_same(const void *kept, const void *item)
{
	const struct facts *a = kept, *b = item;

	return a->hash == b->hash && a->count == b->count && !memcmp(a->items, b->items, a->count * sizeof(*a->items));
}

static void set_keep(void *kept, struct arena *arena, void *context)
{
	struct facts *set = kept;

	set->items = arena_copy(arena, set->items, set->count * sizeof(*set->items));
}

/* By insertion: sets are short, and made of sorted ones. */
static void sort(struct fact *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct fact f = items[i];
		size_t j = i;

		for (; j && memcmp(&items[j - 1], &f, sizeof(f)) > 0; j--)
			items[j] = items[j - 1];
		items[j] = f;
	}
}

static bool is_any(const struct fact *fact, enum fact_kind kind)
{
	return fact->kind == kind && !fact->path;
}

/* "Any" of what may have been released or let go says all that single ones say. */
static size_t absorb(struct fact *items, size_t count, enum fact_kind kind)
{
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < count && !any; i++)
		any = is_any(&items[i], kind);
	for (size_t i = 0; any && i < count; i++)
		if (items[i].kind != kind || is_any(&items[i], kind))
			items[kept++] = items[i];
	return any ? kept : count;
}

static size_t widen(struct fact *items, size_t count, enum fact_kind kind)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].kind == kind) {
			items[i] = (struct fact){ .kind = (uint8_t)kind };
			return absorb(items, count, kind);
		}
	return count;
}

static size_t drop(struct fact *items, size_t count, enum fact_kind from, enum fact_kind to)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (items[i].kind < from || items[i].kind > to)
			items[kept++] = items[i];
	return kept;
}

/*
 * Too many. First what may have happened to locks and objects becomes "any": that costs callers what they
 * held, not us what we hold. Then ownership goes, at last all that must hold.
 */
static size_t shed(struct fact *items, size_t count, size_t max)
{
	count = widen(items, count, FACT_RELEASED);
	count = widen(items, count, FACT_ESCAPED);
	if (count > max)
		count = drop(items, count, FACT_OWN, FACT_OWN);
	if (count > max)
		count = drop(items, count, 0, FACT_FIRST_MAY - 1);
	return count;
}

static facts_id intern_set(struct scan *s, struct fact *items, size_t count)
{
	size_t max = s->large ? FACTS_MAX_LARGE : FACTS_MAX;
	struct facts set = { .items = items };

	count = absorb(items, absorb(items, count, FACT_RELEASED), FACT_ESCAPED);
	if (count > max)
		count = shed(items, count, max);
	sort(items, count);
	for (size_t i = 0; i < count; i++)
		if (!set.count || memcmp(&items[set.count - 1], &items[i], sizeof(*items)))
			items[set.count++] = items[i];
	set.hash = 0x1234567;
	for (size_t i = 0; i < set.count; i++) {
		const struct fact *f = &items[i];

		set.kinds |= 1u << f->kind;
		set.tags |= path_at(s, f->path)->tags | path_at(s, f->bound)->tags;
		set.hash = intern_mix(set.hash, intern_mix((uint64_t)f->kind << 24 | f->mode << 16 | f->count << 8 | f->old,
							   (uint64_t)f->path << 32 | f->bound));
		set.hash = intern_mix(set.hash, intern_mix(f->site, intern_mix((uint64_t)f->lo, (uint64_t)f->hi)));
	}
	return intern_get(&s->sets, &set, set_hash, set_same, set_keep, NULL);
}

facts_id facts_make(struct scan *s, const struct fact *items, size_t count)
{
	struct fact copy[count + 1];

	if (count)
		memcpy(copy, items, count * sizeof(*items));
	return intern_set(s, copy, count);
}

void facts_begin(struct scan *s)
{
	intern_begin(&s->sets, sizeof(struct facts));
	s->nothing = intern_set(s, NULL, 0);
}

facts_id facts_built(struct scan *s, struct facts_builder *b)
{
	facts_id id;

	id = intern_set(s, b->list.items, b->list.count);
	VEC_FREE(&b->list);
	return id;
}

const struct fact *facts_find(const struct scan *s, facts_id set, enum fact_kind kind, path_id path)
{
	const struct facts *facts = facts_at(s, set);

	if (!(facts->kinds >> kind & 1))
		return NULL;
	for (uint32_t i = 0; i < facts->count; i++)
		if (facts->items[i].kind == kind && facts->items[i].path == path)
			return &facts->items[i];
	return NULL;
}

/* The id's cell as base and element, if it is one of an array of ids: LOAD(base + k). */
static bool element_of(const struct scan *s, path_id cell, path_id base, int64_t stride, int64_t *element)
{
	const struct path *p = path_at(s, cell);

	*element = 0;
	if (cell == base)
		return true;
	if (p->kind != PATH_FIELD || p->base != base || p->off % stride)
		return false;
	*element = p->off / stride;
	return true;
}

/* Elements of one array that both are said to be: all of lo..hi, or one; false: not known. */
static bool elements(const struct scan *s, const struct fact *f, path_id base, int64_t stride, int64_t *lo, int64_t *hi)
{
	const struct path *cell = path_at(s, path_at(s, path_at(s, f->path)->canon)->base);

	*lo = f->lo;
	*hi = f->hi;
	if (f->hi)
		return cell->kind == PATH_INDEX && cell->index == s->any && cell->base == base && cell->off == stride;
	if (f->bound || !element_of(s, path_at(s, path_at(s, f->path)->canon)->base, base, stride, lo))
		return false;
	*hi = *lo + 1;
	return true;
}

/* A thread is created: may its id be written over that of another? */
static bool overwrites(struct scan *s, const struct fact *now, const struct fact *old)
{
	path_id a = path_at(s, now->path)->canon, b = path_at(s, old->path)->canon;
	const struct path *pa = path_at(s, a), *pb = path_at(s, b), *array = NULL;
	int64_t lo_a, hi_a, lo_b, hi_b;

	if (!old->path)
		return false;
	if (pb->kind != PATH_LOAD)
		return a == b; /* an id that is returned */
	if (!now->path)
		return now->mode; /* written nobody knows where */
	if (pa->kind != PATH_LOAD)
		return a == b;
	if (a == b && now->site == old->site && !old->old && (now->hi || now->bound))
		return false; /* the next turn of the loop, another element */
	array = path_at(s, pa->base)->kind == PATH_INDEX ? path_at(s, pa->base) : path_at(s, pb->base)->kind == PATH_INDEX ? path_at(s, pb->base) : NULL;
	if (array && elements(s, now, array->base, array->off, &lo_a, &hi_a) && elements(s, old, array->base, array->off, &lo_b, &hi_b))
		return lo_a < hi_b && lo_b < hi_a;
	return path_may_alias(s, pa->base, 8, pb->base, 8);
}

facts_id facts_add(struct scan *s, facts_id id, struct fact fact)
{
	const struct facts *set = facts_at(s, id);
	struct fact items[set->count + 3];
	size_t count = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];

		if (fact.kind == FACT_HELD && f.kind == FACT_HELD && f.path == fact.path) {
			fact.count = (uint8_t)(fact.count && f.count < 3 ? f.count + 1 : f.count);
			fact.mode = f.mode > fact.mode ? f.mode : fact.mode;
			continue;
		}
		if (fact.kind == FACT_HELD && f.kind == FACT_RELEASED && f.path == fact.path)
			continue;
		if (fact.kind == FACT_RUNS && f.kind == FACT_RUNS && overwrites(s, &fact, &f))
			f.path = 0, f.mode = 1; /* its id is overwritten */
		items[count++] = f;
	}
	items[count++] = fact;
	return intern_set(s, items, count);
}

/* ---- meet ------------------------------------------------------------------------------------------------- */

static int64_t gcd(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	while (b) {
		int64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

static bool meet_must(const struct facts *other, struct fact *f)
{
	for (uint32_t i = 0; i < other->count; i++) {
		const struct fact *g = &other->items[i];

		if (g->kind != f->kind || g->path != f->path || g->bound != f->bound || g->lo != f->lo || g->hi != f->hi)
			continue;
		if (f->old != g->old)
			return false;
		f->mode = (f->mode < g->mode) == (f->kind != FACT_SEEN) ? f->mode : g->mode; /* the weaker */
		f->count = f->count < g->count ? f->count : g->count;
		return true;
	}
	return false;
}

static struct fact meet_phase(const struct facts *other, struct fact f)
{
	int64_t lo = 0, hi = 0;

	for (uint32_t i = 0; i < other->count; i++)
		if (other->items[i].kind == FACT_PHASE && other->items[i].path == f.path) {
			lo = other->items[i].lo;
			hi = other->items[i].hi;
		}
	f.hi = gcd(gcd(f.hi, hi), f.lo - lo);
	if (f.hi)
		f.lo %= f.hi;
	return f;
}

facts_id facts_meet(struct scan *s, facts_id x, facts_id y)
{
	const struct facts *a = facts_at(s, x), *b = facts_at(s, y);
	struct facts_builder out = { 0 };

	if (x == y || !y)
		return x;
	if (!x)
		return y;
	for (uint32_t i = 0; i < a->count; i++) {
		struct fact f = a->items[i];

		if (f.kind == FACT_PHASE)
			f = meet_phase(b, f);
		if (f.kind >= FACT_FIRST_MAY || meet_must(b, &f))
			VEC_PUSH(&out.list, f);
	}
	for (uint32_t i = 0; i < b->count; i++)
		if (b->items[i].kind == FACT_PHASE)
			VEC_PUSH(&out.list, meet_phase(a, b->items[i]));
		else if (b->items[i].kind >= FACT_FIRST_MAY)
			VEC_PUSH(&out.list, b->items[i]);
	return facts_built(s, &out);
}

/* ---- what takes facts away -------------------------------------------------------------------------------------- */

static bool released_by(struct scan *s, const struct fact *held, const struct fact *released)
{
	return !released->path || path_may_alias(s, held->path, 1, released->path, 1);
}

static bool escaped_by(struct scan *s, path_id object, path_id escaped)
{
	path_id root = path_at(s, escaped)->root;

	if (!escaped || path_at(s, object)->root == root)
		return true;
	if (path_at(s, root)->kind == PATH_CLASS) {
		struct cell a = points_to_find(s, path_cell(s, object)), b = points_to_find(s, path_cell(s, root));

		return a.node && a.node == b.node;
	}
	return false;
}

facts_id facts_release(struct scan *s, facts_id id, path_id lock)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };
	struct fact released = { .kind = FACT_RELEASED, .path = lock };
	bool ours = false;
	const struct fact *exact = facts_find(s, id, FACT_HELD, lock);

	if (exact && exact->old)
		exact = NULL;

	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];

		if (f.kind == FACT_HELD && f.path != lock && exact && !f.old)
			; /* taken while the other was held: not the same one */
		else if (f.kind == FACT_HELD && released_by(s, &f, &released)) {
			ours |= f.path == lock;
			if (f.path == lock && f.count > 1) {
				f.count--;
				VEC_PUSH(&out.list, f);
			}
			continue;
		}
		VEC_PUSH(&out.list, f);
	}
	if (!ours) /* of the caller's then: what we took ourselves is no business of his */
		VEC_PUSH(&out.list, released);
	return facts_built(s, &out);
}

facts_id facts_escape(struct scan *s, facts_id id, path_id path)
{
	const struct facts *set = facts_at(s, id);
	const struct path *root = path_at(s, path_at(s, path)->root);
	struct facts_builder out = { 0 };
	struct fact fact = { .kind = FACT_ESCAPED, .path = path_at(s, path)->root };

	if (root->kind == PATH_GLOBAL || root->kind == PATH_INT || root->kind == PATH_FUNCTION || root->kind == PATH_FIXED ||
	    root->kind == PATH_LOAD || facts_find(s, id, FACT_ESCAPED, fact.path))
		return id;
	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].kind != FACT_OWN || !escaped_by(s, set->items[i].path, fact.path))
			VEC_PUSH(&out.list, set->items[i]);
	VEC_PUSH(&out.list, fact);
	return facts_built(s, &out);
}

/* ---- joins ---------------------------------------------------------------------------------------------------------- */

static bool range_covers(const struct fact *joined, const struct fact *runs)
{
	if (joined->bound || runs->bound)
		return joined->bound == runs->bound && joined->lo <= runs->lo;
	return joined->lo <= runs->lo && joined->hi >= runs->hi;
}

/* Is all of `runs` joined? A part at an end may be: then it is made smaller. */
static bool join_kills(struct scan *s, const struct fact *joined, struct fact *runs)
{
	path_id j = path_at(s, joined->path)->canon, r = path_at(s, runs->path)->canon;
	const struct path *jp = path_at(s, j), *rp = path_at(s, r);
	const struct path *jc = path_at(s, jp->base), *rc = path_at(s, rp->base);
	bool j_range = joined->hi || joined->bound, r_range = runs->hi || runs->bound;
	int64_t k;

	if (!runs->path || runs->count == 2)
		return false;
	if (j == r)
		return j_range == r_range && (!j_range || range_covers(joined, runs));
	if (jp->kind != PATH_LOAD || rp->kind != PATH_LOAD)
		return false;
	if (j_range && !r_range && !joined->bound && jc->kind == PATH_INDEX && jc->index == s->any &&
	    element_of(s, rp->base, jc->base, jc->off, &k))
		return joined->lo <= k && k < joined->hi;
	if (!j_range && r_range && !runs->bound && rc->kind == PATH_INDEX && rc->index == s->any &&
	    element_of(s, jp->base, rc->base, rc->off, &k)) {
		if (k == runs->lo)
			runs->lo++;
		else if (k == runs->hi - 1)
			runs->hi--;
		return runs->lo >= runs->hi;
	}
	return false;
}

facts_id facts_join(struct scan *s, facts_id id, struct fact joined, bool only_old)
{
	const struct facts *set = facts_at(s, id);
	struct facts_builder out = { 0 };

	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];

		if (f.kind != FACT_RUNS || (only_old && !f.old) || !join_kills(s, &joined, &f))
			VEC_PUSH(&out.list, f);
	}
	VEC_PUSH(&out.list, joined);
	return facts_built(s, &out);
}

/* ---- composition ------------------------------------------------------------------------------------------------------ */

static bool survives(struct scan *s, struct fact *f, const struct facts *since)
{
	for (uint32_t i = 0; i < since->count; i++) {
		const struct fact *g = &since->items[i];

		if (f->kind == FACT_HELD && g->kind == FACT_RELEASED && released_by(s, f, g)) {
			if (f->count > 1 && f->path == g->path && g->count == 0 && since->count == 1)
				f->count--;
			else
				return false;
		}
		if (f->kind == FACT_OWN && g->kind == FACT_ESCAPED && escaped_by(s, f->path, g->path))
			return false;
		if (f->kind == FACT_RELEASED && g->kind == FACT_HELD && g->path == f->path)
			return false;
		if (f->kind == FACT_RUNS && g->kind == FACT_JOINED && join_kills(s, g, f))
			return false;
		if (f->kind == FACT_HELD && g->kind == FACT_HELD && g->path == f->path)
			f->count = (uint8_t)(f->count && g->count && f->count + g->count < 3 ? f->count + g->count : f->count);
		if (f->kind == FACT_RUNS && g->kind == FACT_RUNS && overwrites(s, g, f))
			f->path = 0, f->mode = 1;
	}
	return true;
}

static void add_phase(struct facts_builder *out, const struct facts *before, const struct facts *since)
{
	const struct facts *sets[2] = { before, since };

	for (int which = 0; which < 2; which++)
		for (uint32_t i = 0; i < sets[which]->count; i++) {
			struct fact f = sets[which]->items[i];
			bool other = false;

			if (f.kind != FACT_PHASE)
				continue;
			for (uint32_t j = 0; j < sets[!which]->count; j++) {
				const struct fact *g = &sets[!which]->items[j];

				if (g->kind != FACT_PHASE || g->path != f.path)
					continue;
				other = true;
				f.lo += g->lo;
				f.hi = gcd(f.hi, g->hi);
			}
			if (f.hi)
				f.lo %= f.hi;
			if (!other || !which)
				VEC_PUSH(&out->list, f);
		}
}

facts_id facts_compose(struct scan *s, facts_id x, facts_id y)
{
	const struct facts *before = facts_at(s, x), *since = facts_at(s, y);
	struct facts_builder out = { 0 };

	if (!x || !y)
		return 0;
	if (y == s->nothing)
		return x;
	for (uint32_t i = 0; i < before->count; i++) {
		struct fact f = before->items[i];

		if (f.kind == FACT_PHASE || !survives(s, &f, since))
			continue;
		if (f.kind == FACT_RUNS || f.kind == FACT_CREATED)
			f.old = 1;
		VEC_PUSH(&out.list, f);
	}
	for (uint32_t i = 0; i < since->count; i++) {
		struct fact f = since->items[i];

		if (f.kind == FACT_PHASE)
			continue;
		VEC_PUSH(&out.list, f);
	}
	add_phase(&out, before, since);
	/* One lock held twice: the better mode counts once. */
	for (size_t i = 0; i < out.list.count; i++)
		for (size_t j = i + 1; out.list.items[i].kind == FACT_HELD && j < out.list.count; j++) {
			struct fact *f = &out.list.items[i], *g = &out.list.items[j];

			if (f->kind != FACT_HELD || g->kind != FACT_HELD || f->path != g->path)
				continue;
			f->mode = f->mode > g->mode ? f->mode : g->mode;
			*g = out.list.items[--out.list.count];
			j--;
		}
	return facts_built(s, &out);
}
