/*
 * points_to_classes - the union-find under points_to.c: classes of objects laid over each other.
 *
 * A merge may make fields meet, whose pointers must be merged, too: those wait in `pending` until
 * class_unify() has worked them off, so nothing here recurses.
 *
 * I1  class_fresh() may move all nodes: a struct node * is not kept over it.
 * I2  A function is in one class, so lists of functions are joined without looking for doubles.
 * I3  A representative's fields are sorted by their normal offset, one each.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/points_to.h"

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

struct cell class_fresh(struct points_to *p)
{
	struct node node = { .parent = (uint32_t)p->nodes.count };

	VEC_PUSH(&p->nodes, node);
	return (struct cell){ (uint32_t)p->nodes.count - 1, 0 };
}

struct cell class_object(struct points_to *p)
{
	struct cell c = class_fresh(p);

	p->nodes.items[c.node].objects = 1;
	return c;
}

struct cell class_root(struct points_to *p, struct cell c)
{
	uint32_t n = c.node, top = n;
	int64_t total = 0;

	while (p->nodes.items[top].parent != top) {
		total += p->nodes.items[top].delta;
		top = p->nodes.items[top].parent;
	}
	c.off += total;
	while (n != top && p->nodes.items[n].parent != top) { /* compress */
		struct node *node = &p->nodes.items[n];
		int64_t delta = node->delta;

		n = node->parent;
		node->parent = top;
		node->delta = total;
		total -= delta;
	}
	c.node = top;
	return c;
}

int64_t class_normal(const struct node *n, int64_t off)
{
	if (n->modulus) {
		off %= n->modulus;
		return off < 0 ? off + n->modulus : off;
	}
	for (uint32_t i = 0; i < n->region_count; i++)
		if (off >= n->regions[i].start && off < n->regions[i].end)
			return n->regions[i].start + (off - n->regions[i].start) % n->regions[i].stride;
	return off;
}

struct cell class_find(struct points_to *p, struct cell c)
{
	if (!c.node)
		return c;
	c = class_root(p, c);
	c.off = class_normal(&p->nodes.items[c.node], c.off);
	return c;
}

static void later(struct points_to *p, struct cell a, struct cell b)
{
	VEC_PUSH(&p->pending, (struct two_cells){ a, b });
}

/* The pointer stored at off of a representative; made if there is none. */
struct field *class_field(struct points_to *p, uint32_t n, int64_t off, bool make)
{
	struct node *node = &p->nodes.items[n];
	uint32_t lo = 0, hi = node->field_count;
	struct cell to;

	off = class_normal(node, off);
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (node->fields[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < node->field_count && node->fields[lo].off == off)
		return &node->fields[lo];
	if (!make)
		return NULL;
	if (node->self)
		to = (struct cell){ n, 0 };
	else {
		to = class_fresh(p);
		node = &p->nodes.items[n];
	}
	if (node->field_count == node->field_size) {
		node->field_size = node->field_size ? node->field_size * 2 : 2;
		node->fields = realloc(node->fields, node->field_size * sizeof(*node->fields));
		if (!node->fields)
			BUG("out of memory");
	}
	memmove(&node->fields[lo + 1], &node->fields[lo], (node->field_count - lo) * sizeof(*node->fields));
	node->fields[lo] = (struct field){ off, to, false };
	node->field_count++;
	return &node->fields[lo];
}

/* Offsets have become equal that were not: put the fields in again. */
static void refold(struct points_to *p, uint32_t n)
{
	struct node *node = &p->nodes.items[n];
	struct field *old = node->fields;
	uint32_t count = node->field_count;

	node->fields = NULL;
	node->field_count = node->field_size = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t before = p->nodes.items[n].field_count;
		struct field *f = class_field(p, n, old[i].off, true);

		f->stored |= old[i].stored;
		if (p->nodes.items[n].field_count == before || p->nodes.items[n].self)
			later(p, f->to, old[i].to);
		else
			f->to = old[i].to;
	}
	free(old);
}

void class_modulus(struct points_to *p, uint32_t n, int64_t modulus)
{
	struct node *node = &p->nodes.items[n];

	modulus = gcd(node->modulus, modulus);
	for (uint32_t i = 0; i < node->region_count; i++)
		modulus = gcd(modulus, node->regions[i].stride);
	if (modulus == node->modulus || !modulus)
		return;
	free(node->regions);
	node->regions = NULL;
	node->region_count = 0;
	node->modulus = modulus;
	refold(p, n);
}

void class_region(struct points_to *p, uint32_t n, struct region r)
{
	struct node *node = &p->nodes.items[n];

	if (r.stride <= 0)
		r.stride = 1;
	if (node->modulus) {
		class_modulus(p, n, r.stride);
		return;
	}
	for (uint32_t i = 0; i < node->region_count; i++) {
		struct region *old = &node->regions[i];

		if (r.start >= old->end || old->start >= r.end)
			continue;
		if (r.start >= old->start && r.end <= old->end && !(r.stride % old->stride) && !((r.start - old->start) % old->stride))
			return;
		r.stride = gcd(gcd(r.stride, old->stride), r.start - old->start);
		r.start = r.start < old->start ? r.start : old->start;
		r.end = r.end > old->end ? r.end : old->end;
		*old = node->regions[--node->region_count];
		i = UINT32_MAX; /* from the beginning: it has grown */
	}
	if (node->region_count >= 16) {
		class_modulus(p, n, r.stride);
		return;
	}
	node->regions = realloc(node->regions, (node->region_count + 1) * sizeof(*node->regions));
	if (!node->regions)
		BUG("out of memory");
	node->regions[node->region_count++] = r;
	refold(p, n);
}

void class_function(struct points_to *p, uint32_t n, uint32_t f)
{
	struct node *node = &p->nodes.items[n];

	if (!(node->function_count & (node->function_count - 1))) {
		node->functions = realloc(node->functions, (node->function_count ? node->function_count * 2 : 1) * sizeof(uint32_t));
		if (!node->functions)
			BUG("out of memory");
	}
	node->functions[node->function_count++] = f;
	p->changed = p->more_functions = true;
}

/* Everything that is stored in it is it: unknown code had a pointer to it. */
void class_self(struct points_to *p, uint32_t n)
{
	struct node *node = &p->nodes.items[n];

	if (node->self)
		return;
	class_modulus(p, n, 1);
	node = &p->nodes.items[n];
	node->self = true;
	for (uint32_t i = 0; i < node->field_count; i++)
		later(p, node->fields[i].to, (struct cell){ n, 0 });
}

static void merge(struct points_to *p, struct cell a, struct cell b)
{
	uint32_t big, small;
	struct node *to, *from;
	int64_t delta;
	bool self;

	if (!a.node || !b.node)
		return;
	a = class_root(p, a);
	b = class_root(p, b);
	if (a.node == b.node) {
		if (class_normal(&p->nodes.items[a.node], a.off) != class_normal(&p->nodes.items[b.node], b.off))
			class_modulus(p, a.node, a.off - b.off);
		return;
	}
	p->changed = true;
	/* The smaller goes into the bigger; on a tie the younger into the older. */
	if (p->nodes.items[a.node].field_count < p->nodes.items[b.node].field_count ||
	    (p->nodes.items[a.node].field_count == p->nodes.items[b.node].field_count && a.node > b.node)) {
		struct cell t = a;

		a = b;
		b = t;
	}
	big = a.node;
	small = b.node;
	delta = a.off - b.off;
	to = &p->nodes.items[big];
	from = &p->nodes.items[small];
	from->parent = big;
	from->delta = delta;
	to->objects += from->objects;
	self = from->self || to->self;
	to->copied |= from->copied;
	if (from->function_count > to->function_count) {
		uint32_t *functions = to->functions, count = to->function_count;

		to->functions = from->functions;
		to->function_count = from->function_count;
		from->functions = functions;
		from->function_count = count;
	}
	for (uint32_t i = 0; i < from->function_count; i++)
		class_function(p, big, from->functions[i]);
	free(from->functions);
	from->functions = NULL;
	if (from->modulus)
		class_modulus(p, big, from->modulus);
	for (uint32_t i = 0; i < p->nodes.items[small].region_count; i++) {
		struct region r = p->nodes.items[small].regions[i];

		r.start += delta;
		r.end = r.end == INT64_MAX ? r.end : r.end + delta;
		class_region(p, big, r);
	}
	for (uint32_t i = 0; i < p->nodes.items[small].field_count; i++) {
		struct field old = p->nodes.items[small].fields[i];
		uint32_t before = p->nodes.items[big].field_count;
		struct field *f = class_field(p, big, old.off + delta, true);

		f->stored |= old.stored;
		if (p->nodes.items[big].field_count == before || p->nodes.items[big].self)
			later(p, f->to, old.to);
		else
			f->to = old.to;
	}
	from = &p->nodes.items[small];
	free(from->fields);
	free(from->regions);
	from->fields = NULL;
	from->regions = NULL;
	from->field_count = from->region_count = 0;
	if (self)
		class_self(p, big);
}

void class_unify(struct points_to *p, struct cell a, struct cell b)
{
	merge(p, a, b);
	while (p->pending.count) {
		a = p->pending.items[p->pending.count - 1].a;
		b = p->pending.items[--p->pending.count].b;
		merge(p, a, b);
	}
}

struct cell class_content(struct points_to *p, struct cell at, bool stored)
{
	struct cell c = class_find(p, at);
	struct field *field;

	if (!c.node)
		return c;
	field = class_field(p, c.node, c.off, true);
	field->stored |= stored;
	return field->to;
}

void class_collapse(struct points_to *p, struct cell c)
{
	if (c.node) {
		class_modulus(p, class_root(p, c).node, 1);
		class_unify(p, c, c);
	}
}
