/*
 * points_to_ask - what the other passes want to know of the classes; read only, by several workers.
 */
#include <stdlib.h>

#include "find/scan/points_to.h"

struct cell points_to_find(const struct scan *s, struct cell c)
{
	const struct points_to *p = s->points_to;

	if (!c.node)
		return c;
	while (p->nodes.items[c.node].parent != c.node) {
		c.off += p->nodes.items[c.node].delta;
		c.node = p->nodes.items[c.node].parent;
	}
	c.off = class_normal(&p->nodes.items[c.node], c.off);
	return c;
}

struct cell points_to_value(const struct scan *s, uint32_t f, uint32_t value)
{
	return s->points_to->values[s->functions[f].value_base + value];
}

struct cell points_to_global(const struct scan *s, uint32_t g)
{
	return s->points_to->globals[g];
}

struct cell points_to_operand(const struct scan *s, uint32_t f, ir_operand o)
{
	return cell_of_operand(s->points_to, f, o, false);
}

struct cell points_to_load(const struct scan *s, struct cell c)
{
	const struct node *node;

	c = points_to_find(s, c);
	if (!c.node)
		return c;
	node = &s->points_to->nodes.items[c.node];
	for (uint32_t i = 0; i < node->field_count; i++)
		if (node->fields[i].off == c.off)
			return node->fields[i].to;
	return (struct cell){ 0, 0 };
}

bool points_to_stored(const struct scan *s, struct cell c)
{
	const struct node *node;

	c = points_to_find(s, c);
	if (!c.node)
		return true;
	node = &s->points_to->nodes.items[c.node];
	if (node->self || node->copied || node->modulus == 1)
		return true;
	for (uint32_t i = 0; i < node->field_count; i++)
		if (node->fields[i].off == c.off && node->fields[i].stored)
			return true;
	return false;
}

size_t points_to_objects(const struct scan *s, struct cell c)
{
	c = points_to_find(s, c);
	return c.node ? s->points_to->nodes.items[c.node].objects : 0;
}

size_t points_to_functions(const struct scan *s, struct cell c, const uint32_t **functions)
{
	c = points_to_find(s, c);
	if (!c.node)
		return 0;
	*functions = s->points_to->nodes.items[c.node].functions;
	return s->points_to->nodes.items[c.node].function_count;
}

/* A range, widened over the arrays it touches. */
static void widen(const struct node *n, int64_t *lo, int64_t *hi)
{
	for (uint32_t i = 0; i < n->region_count; i++) {
		const struct region *r = &n->regions[i];

		if (*lo >= r->end || *hi <= r->start || (*lo >= r->start && *hi <= r->start + r->stride))
			continue;
		*lo = *lo < r->start ? *lo : r->start;
		*hi = *hi > r->end ? *hi : r->end;
	}
}

bool points_to_overlap(const struct scan *s, struct cell a, uint32_t size_a, struct cell b, uint32_t size_b)
{
	const struct node *n;
	int64_t sa = size_a == UINT32_MAX ? INT64_MAX / 4 : size_a ? size_a : 1, sb = size_b == UINT32_MAX ? INT64_MAX / 4 : size_b ? size_b : 1;
	int64_t lo[2], hi[2], d;

	a = points_to_find(s, a);
	b = points_to_find(s, b);
	if (!a.node || a.node != b.node)
		return false;
	n = &s->points_to->nodes.items[a.node];
	if (n->modulus) {
		d = (b.off - a.off) % n->modulus;
		d = d < 0 ? d + n->modulus : d;
		return d < sa || n->modulus - d < sb;
	}
	lo[0] = a.off;
	hi[0] = a.off + sa;
	lo[1] = b.off;
	hi[1] = b.off + sb;
	widen(n, &lo[0], &hi[0]);
	widen(n, &lo[1], &hi[1]);
	return lo[0] < hi[1] && lo[1] < hi[0];
}

#define REACH_MAX 256 /* nodes; more is said */

struct reached {
	VEC(uint32_t) list;
	bool is_cut;
};

/* The nodes that pointers in this one lead to, each once. */
static void reach_fields(const struct scan *s, struct reached *reached, uint32_t from)
{
	const struct node *node = &s->points_to->nodes.items[from];

	for (uint32_t j = 0; j < node->field_count; j++) {
		struct cell to = points_to_find(s, node->fields[j].to);
		bool known = !to.node;

		for (size_t k = 0; k < reached->list.count && !known; k++)
			known = reached->list.items[k] == to.node;
		if (!known && reached->list.count < REACH_MAX)
			VEC_PUSH(&reached->list, to.node);
		else
			reached->is_cut |= !known;
	}
}

bool points_to_reach(const struct scan *s, struct cell start, bool itself, void (*visitor)(void *context, struct cell cell), void *context)
{
	struct reached reached = { 0 };

	start = points_to_find(s, start);
	if (start.node && itself)
		VEC_PUSH(&reached.list, start.node);
	else if (start.node)
		reach_fields(s, &reached, start.node);
	for (size_t i = 0; i < reached.list.count; i++) {
		visitor(context, (struct cell){ reached.list.items[i], 0 });
		reach_fields(s, &reached, reached.list.items[i]);
	}
	VEC_FREE(&reached.list);
	return !reached.is_cut;
}

size_t points_to_node_count(const struct scan *s)
{
	return s->points_to->nodes.count;
}
