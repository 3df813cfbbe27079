/*
 * path - symbolic values: where an address comes from, in words of formals, globals and allocations.
 *
 *     &q->items[i].len  with q the formal 0:   FIELD(INDEX(FIELD(VALUE 0, 16), 8, VALUE i), 4)
 *     q->lock->m        LOAD(FIELD(VALUE 0, 40)), then FIELD
 *
 * I1  A path is a number; equal paths are equal numbers (they are interned and normalised: constant
 *     offsets are summed up, a constant index is an offset).
 * I2  A LOAD carries the instruction that read (`index`): two reads of one place may differ. `canon`
 *     is the same path without these marks, for places that are known not to change.
 * I3  Within one activation of a function a path names one value; who runs an instruction again
 *     calls facts_redefine(), who enters a function again facts_enter().
 * I4  What is deeper than the limit becomes PATH_CLASS: any object of its points-to class. That is
 *     sound: such a path is never the name of a lock and may be any of the class.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

#define DEPTH_LIMIT 24

static uint64_t path_hash(const void *item)
{
	return ((const struct path *)item)->hash;
}

static bool path_same(const void *kept, const void *item)
{
	const struct path *a = kept, *b = item;

	return a->hash == b->hash && a->kind == b->kind && a->base == b->base && a->index == b->index && a->a == b->a &&
	       a->b == b->b && a->off == b->off;
}

static uint64_t own_tags(const struct path *p)
{
	switch (p->kind) {
	case PATH_VALUE: case PATH_HEAP: case PATH_STACK: case PATH_CALL: case PATH_OWN:
		return path_tag(p->a, p->b);
	default:
		return 0;
	}
}

static path_id add(struct scan *s, struct path p)
{
	const struct path *base = path_at(s, p.base), *index = path_at(s, p.index);
	path_id id;

	p.hash = intern_mix(p.kind, intern_mix(intern_mix(p.base, p.index), intern_mix(intern_mix(p.a, p.b), (uint64_t)p.off)));
	p.depth = (uint8_t)(1 + (base->depth > index->depth ? base->depth : index->depth));
	p.loads = (uint8_t)(base->loads + (p.kind == PATH_LOAD));
	p.wraps = (uint8_t)(p.kind == PATH_CALL || p.kind == PATH_PARENT ? base->wraps + 1 : 0);
	p.tags = own_tags(&p) | index->tags | (p.kind == PATH_CALL || p.kind == PATH_PARENT ? 0 : base->tags);
	p.hint = IR_NO;
	p.root = p.kind == PATH_FIELD || p.kind == PATH_INDEX ? base->root : 0;
	p.canon = 0;
	id = intern_get(&s->paths, &p, path_hash, path_same, NULL, NULL);
	return id;
}

/* root and canon of a path: computed from parts, so that they need no second look-up under the lock. */
static path_id finish(struct scan *s, path_id id)
{
	struct path *p = intern_at(&s->paths, id);
	path_id canon = id, base;
	struct path plain;

	if (__atomic_load_n(&p->canon, __ATOMIC_ACQUIRE))
		return id;
	if (!p->root)
		__atomic_store_n(&p->root, id, __ATOMIC_RELAXED);
	if (p->kind == PATH_FIELD || p->kind == PATH_INDEX || p->kind == PATH_LOAD || p->kind == PATH_CALL || p->kind == PATH_PARENT) {
		base = path_at(s, p->base)->canon;
		if (base != p->base || (p->kind == PATH_LOAD && p->index)) {
			plain = (struct path){ .kind = p->kind, .base = base, .index = p->kind == PATH_LOAD ? 0 : p->index,
					       .a = p->a, .b = p->b, .off = p->off };
			canon = finish(s, add(s, plain));
		}
	}
	__atomic_store_n(&p->canon, canon, __ATOMIC_RELEASE);
	return id;
}

void paths_begin(struct scan *s)
{
	intern_begin(&s->paths, sizeof(struct path));
	pthread_mutex_init(&s->fixed_lock, NULL);
	s->any = path_plain(s, PATH_FIXED, UINT32_MAX, 0);
}

path_id path_int(struct scan *s, int64_t value)
{
	return finish(s, add(s, (struct path){ .kind = PATH_INT, .off = value }));
}

path_id path_plain(struct scan *s, enum path_kind kind, uint32_t a, uint32_t b)
{
	return finish(s, add(s, (struct path){ .kind = (uint8_t)kind, .a = a, .b = b }));
}

path_id path_class(struct scan *s, struct cell cell)
{
	cell = points_to_find(s, cell);
	return finish(s, add(s, (struct path){ .kind = PATH_CLASS, .a = cell.node, .off = cell.node ? cell.off : 0 }));
}

path_id path_fixed(struct scan *s, const char *name)
{
	uint32_t at = UINT32_MAX;

	pthread_mutex_lock(&s->fixed_lock);
	for (size_t i = 0; i < s->fixed.count; i++)
		if (!strcmp(s->fixed.items[i], name))
			at = (uint32_t)i;
	if (at == UINT32_MAX) {
		at = (uint32_t)s->fixed.count;
		VEC_PUSH(&s->fixed, name);
	}
	pthread_mutex_unlock(&s->fixed_lock);
	return path_plain(s, PATH_FIXED, at, 0);
}

static path_id limited(struct scan *s, struct path p)
{
	const struct path *base = path_at(s, p.base);

	if (base->depth + 1 > DEPTH_LIMIT || path_at(s, p.index)->depth > 8 || (p.kind == PATH_LOAD && base->loads + 1u > s->depth) ||
	    base->wraps > 6) {
		path_id whole;
		struct cell cell = path_cell(s, p.base);

		if (p.kind == PATH_LOAD)
			cell = points_to_load(s, cell);
		else if (p.kind == PATH_FIELD)
			cell.off += p.off;
		whole = path_class(s, cell);
		return whole;
	}
	return finish(s, add(s, p));
}

path_id path_field(struct scan *s, path_id base, int64_t off)
{
	const struct path *b = path_at(s, base);

	if (!off || !base)
		return base;
	if (b->kind == PATH_FIELD)
		return path_field(s, b->base, b->off + off);
	if (b->kind == PATH_INT)
		return path_int(s, b->off + off);
	if (b->kind == PATH_CLASS)
		return path_class(s, (struct cell){ b->a, b->off + off });
	return limited(s, (struct path){ .kind = PATH_FIELD, .base = base, .off = off });
}

path_id path_index(struct scan *s, path_id base, int64_t stride, path_id index)
{
	const struct path *i = path_at(s, index), *b = path_at(s, base);

	if (i->kind == PATH_INT)
		return path_field(s, base, i->off * stride);
	if (!stride || !base || b->kind == PATH_INT || b->kind == PATH_CLASS)
		return base;
	return limited(s, (struct path){ .kind = PATH_INDEX, .base = base, .off = stride, .index = index });
}

path_id path_load(struct scan *s, path_id base, uint32_t f, uint32_t value)
{
	const struct path *b = path_at(s, base);

	if (b->kind == PATH_CLASS || b->kind == PATH_INT)
		return path_class(s, points_to_load(s, path_cell(s, base)));
	return limited(s, (struct path){ .kind = PATH_LOAD, .base = base, .index = f == IR_NO ? 0 : path_plain(s, PATH_VALUE, f, value) });
}

path_id path_wrap(struct scan *s, enum path_kind kind, path_id root, uint32_t a, uint32_t b)
{
	return limited(s, (struct path){ .kind = (uint8_t)kind, .base = root, .a = a, .b = b });
}

void path_hint(struct scan *s, path_id path, uint32_t type)
{
	struct path *p = intern_at(&s->paths, path);
	uint32_t old = __atomic_load_n(&p->hint, __ATOMIC_RELAXED);

	while (path && type < old && !__atomic_compare_exchange_n(&p->hint, &old, type, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* ---- looking inside ------------------------------------------------------------------------------------ */

bool path_mentions(const struct scan *s, path_id path, uint32_t f, uint32_t value)
{
	const struct path *p = path_at(s, path);

	if (!path || !(p->tags & path_tag(f, value)))
		return false;
	if (own_tags(p) && p->a == f && p->b == value)
		return true;
	if (p->index && path_mentions(s, p->index, f, value))
		return true;
	return p->kind != PATH_CALL && p->kind != PATH_PARENT && p->base && path_mentions(s, p->base, f, value);
}

bool path_mentions_function(const struct scan *s, path_id path, uint32_t f)
{
	const struct path *p = path_at(s, path);

	if (!path || !p->tags)
		return false;
	if (own_tags(p) && p->a == f)
		return true;
	if (p->index && path_mentions_function(s, p->index, f))
		return true;
	return p->kind != PATH_CALL && p->kind != PATH_PARENT && p->base && path_mentions_function(s, p->base, f);
}

path_id path_unwrap(const struct scan *s, path_id root)
{
	const struct path *p = path_at(s, root);

	while (p->kind == PATH_CALL || p->kind == PATH_PARENT) {
		root = p->base;
		p = path_at(s, root);
	}
	return root;
}

bool path_is_object(const struct scan *s, path_id root)
{
	switch (path_at(s, path_unwrap(s, root))->kind) {
	case PATH_GLOBAL: case PATH_HEAP: case PATH_STACK: case PATH_FIXED: case PATH_FUNCTION:
		return true;
	default:
		return false;
	}
}

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

void path_offset(const struct scan *s, path_id path, int64_t *off, int64_t *stride)
{
	*off = *stride = 0;
	for (const struct path *p = path_at(s, path); p->kind == PATH_FIELD || p->kind == PATH_INDEX; p = path_at(s, p->base)) {
		if (p->kind == PATH_FIELD)
			*off += p->off;
		else
			*stride = gcd(*stride, p->off);
	}
}

struct cell path_cell(struct scan *s, path_id path)
{
	const struct path *p = path_at(s, path);
	struct cell cell = { 0, 0 };

	switch (p->kind) {
	case PATH_GLOBAL: return points_to_global(s, p->a);
	case PATH_FUNCTION: return cell;
	case PATH_VALUE: case PATH_HEAP: case PATH_STACK: case PATH_OWN: return points_to_value(s, p->a, p->b);
	case PATH_CALL: case PATH_PARENT: case PATH_INDEX: return path_cell(s, p->base);
	case PATH_CLASS: return (struct cell){ p->a, p->off };
	case PATH_FIELD:
		cell = path_cell(s, p->base);
		cell.off += p->off;
		return cell;
	case PATH_LOAD: return points_to_load(s, path_cell(s, p->base));
	default: return cell;
	}
}

/* One object under two names? Chains of calls are compared from the inside out: as far as both say something. */
static bool same_object(const struct scan *s, path_id a, path_id b)
{
	const struct path *pa[16], *pb[16];
	int na = 0, nb = 0;

	if (a == b)
		return true;
	for (const struct path *p = path_at(s, a); na < 16; p = path_at(s, p->base)) {
		pa[na++] = p;
		if (p->kind != PATH_CALL && p->kind != PATH_PARENT)
			break;
	}
	for (const struct path *p = path_at(s, b); nb < 16; p = path_at(s, p->base)) {
		pb[nb++] = p;
		if (p->kind != PATH_CALL && p->kind != PATH_PARENT)
			break;
	}
	while (na && nb) {
		const struct path *x = pa[--na], *y = pb[--nb];

		if (x->kind != y->kind || x->a != y->a || x->b != y->b)
			return x->kind == PATH_PARENT || y->kind == PATH_PARENT; /* whose object it is says threads' logic */
	}
	return true;
}

static bool overlap(int64_t off_a, int64_t size_a, int64_t off_b, int64_t size_b, int64_t stride)
{
	int64_t d;

	if (!stride)
		return off_a < off_b + size_b && off_b < off_a + size_a;
	d = (off_b - off_a) % stride;
	d = d < 0 ? d + stride : d;
	return d < size_a || stride - d < size_b;
}

static int64_t wide(uint32_t size)
{
	return size == UINT32_MAX ? INT64_MAX / 4 : size ? size : 1;
}

bool path_may_alias(struct scan *s, path_id a, uint32_t size_a, path_id b, uint32_t size_b)
{
	path_id ra = path_at(s, a)->root, rb = path_at(s, b)->root;
	int64_t oa, ob, sa, sb;

	if (a == b)
		return true;
	if (path_is_object(s, ra) && path_is_object(s, rb) && !same_object(s, ra, rb))
		return false;
	path_offset(s, a, &oa, &sa);
	path_offset(s, b, &ob, &sb);
	if ((ra == rb || (path_is_object(s, ra) && path_is_object(s, rb))) &&
	    !overlap(oa, wide(size_a), ob, wide(size_b), gcd(sa, sb)))
		return false;
	if (ra == rb && !sa && !sb)
		return true;
	if (path_at(s, ra)->kind == PATH_FIXED || path_at(s, rb)->kind == PATH_FIXED)
		return ra == rb;
	return points_to_overlap(s, path_cell(s, a), size_a, path_cell(s, b), size_b);
}

/* ---- rebinding --------------------------------------------------------------------------------------------- */

static path_id rebind_root(struct scan *s, path_id path, const struct path *p, const struct rebind *r)
{
	if (p->kind == PATH_VALUE && p->a == r->callee && p->b < r->formal_count && r->actuals) {
		if (p->b < r->actual_count && r->actuals[p->b])
			return r->actuals[p->b];
		return path_class(s, points_to_value(s, p->a, p->b));
	}
	if (r->parent != IR_NO) {
		if (p->kind == PATH_PARENT)
			return path;
		if (p->kind == PATH_OWN)
			return path_class(s, path_cell(s, path));
		return path_wrap(s, PATH_PARENT, path, r->parent, 0);
	}
	if (r->wrap_f != IR_NO && p->kind != PATH_PARENT && p->kind != PATH_OWN)
		return path_wrap(s, PATH_CALL, path, r->wrap_f, r->wrap_v);
	return path;
}

path_id path_rebind(struct scan *s, path_id path, const struct rebind *r)
{
	const struct path *p = path_at(s, path);
	path_id base, index;

	switch (p->kind) {
	case PATH_VALUE: case PATH_HEAP: case PATH_STACK: case PATH_CALL: case PATH_PARENT: case PATH_OWN:
		return rebind_root(s, path, p, r);
	case PATH_GLOBAL:
		if (r->parent != IR_NO && linked_global(s->program, p->a)->flags & IR_G_TLS)
			return path_class(s, points_to_global(s, p->a));
		return path;
	case PATH_FIELD:
		base = path_rebind(s, p->base, r);
		return base == p->base ? path : path_field(s, base, p->off);
	case PATH_INDEX:
		base = path_rebind(s, p->base, r);
		index = path_rebind(s, p->index, r);
		return base == p->base && index == p->index ? path : path_index(s, base, p->off, index);
	case PATH_LOAD:
		base = path_rebind(s, p->base, r);
		index = p->index ? path_rebind(s, p->index, r) : 0;
		if (base == p->base && index == p->index)
			return path;
		if (path_at(s, base)->kind == PATH_CLASS || path_at(s, base)->kind == PATH_INT)
			return path_class(s, points_to_load(s, path_cell(s, base)));
		return limited(s, (struct path){ .kind = PATH_LOAD, .base = base, .index = index });
	default:
		return path;
	}
}

path_id path_any_index(struct scan *s, path_id path, path_id value)
{
	const struct path *p = path_at(s, path);
	path_id base;

	switch (p->kind) {
	case PATH_FIELD:
		base = path_any_index(s, p->base, value);
		return base == p->base ? path : path_field(s, base, p->off);
	case PATH_INDEX:
		base = path_any_index(s, p->base, value);
		return path_index(s, base, p->off, p->index == value ? s->any : p->index);
	case PATH_LOAD:
		base = path_any_index(s, p->base, value);
		return base == p->base ? path : limited(s, (struct path){ .kind = PATH_LOAD, .base = base, .index = p->index });
	default:
		return path;
	}
}

path_id path_replace(struct scan *s, path_id path, path_id what, path_id by)
{
	const struct path *p = path_at(s, path);
	path_id base;

	if (path == what)
		return by;
	switch (p->kind) {
	case PATH_FIELD:
		base = path_replace(s, p->base, what, by);
		return base == p->base ? path : path_field(s, base, p->off);
	case PATH_INDEX:
		return path_index(s, path_replace(s, p->base, what, by), p->off, path_replace(s, p->index, what, by));
	case PATH_LOAD:
		base = path_replace(s, p->base, what, by);
		return base == p->base ? path : limited(s, (struct path){ .kind = PATH_LOAD, .base = base, .index = p->index });
	default:
		return path;
	}
}

/* The same without the marks of calls: what callee and caller both say of it. */
path_id path_strip_calls(struct scan *s, path_id path)
{
	const struct path *p = path_at(s, path);

	switch (p->kind) {
	case PATH_CALL:
		return path_strip_calls(s, p->base);
	case PATH_PARENT:
		return path_wrap(s, PATH_PARENT, path_strip_calls(s, p->base), p->a, 0);
	case PATH_FIELD:
		return path_field(s, path_strip_calls(s, p->base), p->off);
	case PATH_INDEX:
		return path_index(s, path_strip_calls(s, p->base), p->off, path_strip_calls(s, p->index));
	case PATH_LOAD:
		return limited(s, (struct path){ .kind = PATH_LOAD, .base = path_strip_calls(s, p->base) });
	default:
		return path;
	}
}
