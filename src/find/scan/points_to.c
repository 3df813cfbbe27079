/*
 * points_to - Steensgaard's analysis over the whole program: unify what may be assigned, once.
 *
 * A class (node) is a set of objects laid over each other; a pointer is a node and an offset. The
 * union-find is weighted: when a pointer to offset 16 of one class meets a pointer to offset 0 of
 * another, the second is laid at 16, so that a list head inside a structure costs no precision.
 *
 *     node --parent, delta--> representative { modulus, regions, fields: offset -> pointer stored there }
 *
 * I1  Two addresses can only be equal if their nodes have one representative and their offsets, made
 *     normal, overlap. Offsets are made normal by the modulus (all offsets count modulo it; 1: the
 *     class has no layout any more) and by regions (arrays: every element is the first).
 * I2  A class met at two distances from itself gets the gcd of the distances as modulus.
 * I3  An index stays within the array it is applied to (C says so); the last field of a structure
 *     may be longer than declared.
 * I4  A pointer made of an integer that is not followed is an assumption that is not sound.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

struct field {
	int64_t off;
	struct cell to;
	bool stored; /* by a plain store, memcpy: not only by thread creation */
};
struct region {
	int64_t start, end, stride;
};
struct node {
	uint32_t parent;
	uint32_t objects;
	int64_t delta;         /* offset here + delta = offset in the parent */
	int64_t modulus;       /* 0: exact */
	struct field *fields;
	uint32_t field_count, field_size;
	struct region *regions;
	uint32_t region_count;
	uint32_t *functions;
	uint32_t function_count;
	bool copied;           /* by memcpy: anything may have been stored anywhere */
	bool self;             /* unknown code had it: everything stored in it points to it */
};
struct two_cells {
	struct cell a, b;
};
struct points_to {
	VEC(struct node) nodes;
	struct cell *values;
	struct cell *globals, *functions, *varargs;
	VEC(struct two_cells) pending;
	const struct ir_instr **def;
	size_t def_size;
	struct scan *s;
	bool changed;
	struct cell fixed[64];
};

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

static struct cell fresh(struct points_to *p)
{
	struct node node = { .parent = (uint32_t)p->nodes.count };

	VEC_PUSH(&p->nodes, node);
	return (struct cell){ (uint32_t)p->nodes.count - 1, 0 };
}

static struct cell object(struct points_to *p)
{
	struct cell c = fresh(p);

	p->nodes.items[c.node].objects = 1;
	return c;
}

static struct cell root_of(struct points_to *p, struct cell c)
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

static int64_t normal(const struct node *n, int64_t off)
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

static struct cell find(struct points_to *p, struct cell c)
{
	if (!c.node)
		return c;
	c = root_of(p, c);
	c.off = normal(&p->nodes.items[c.node], c.off);
	return c;
}

static void later(struct points_to *p, struct cell a, struct cell b)
{
	VEC_PUSH(&p->pending, (struct two_cells){ a, b });
}

/* The pointer stored at off of a representative; made if there is none. */
static struct field *field_at(struct points_to *p, uint32_t n, int64_t off, bool make)
{
	struct node *node = &p->nodes.items[n];
	uint32_t lo = 0, hi = node->field_count;
	struct cell to;

	off = normal(node, off);
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
		to = fresh(p);
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
		struct field *f = field_at(p, n, old[i].off, true);

		f->stored |= old[i].stored;
		if (p->nodes.items[n].field_count == before || p->nodes.items[n].self)
			later(p, f->to, old[i].to);
		else
			f->to = old[i].to;
	}
	free(old);
}

static void set_modulus(struct points_to *p, uint32_t n, int64_t modulus)
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

static void add_region(struct points_to *p, uint32_t n, struct region r)
{
	struct node *node = &p->nodes.items[n];

	if (r.stride <= 0)
		r.stride = 1;
	if (node->modulus) {
		set_modulus(p, n, r.stride);
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
		set_modulus(p, n, r.stride);
		return;
	}
	node->regions = realloc(node->regions, (node->region_count + 1) * sizeof(*node->regions));
	if (!node->regions)
		BUG("out of memory");
	node->regions[node->region_count++] = r;
	refold(p, n);
}

static void add_function(struct points_to *p, uint32_t n, uint32_t f)
{
	struct node *node = &p->nodes.items[n];

	for (uint32_t i = 0; i < node->function_count; i++)
		if (node->functions[i] == f)
			return;
	if (!(node->function_count & (node->function_count - 1))) {
		node->functions = realloc(node->functions, (node->function_count ? node->function_count * 2 : 1) * sizeof(uint32_t));
		if (!node->functions)
			BUG("out of memory");
	}
	node->functions[node->function_count++] = f;
	p->changed = true;
}

/* Everything that is stored in it is it: unknown code had a pointer to it. */
static void make_self(struct points_to *p, uint32_t n)
{
	struct node *node = &p->nodes.items[n];

	if (node->self)
		return;
	set_modulus(p, n, 1);
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
	a = root_of(p, a);
	b = root_of(p, b);
	if (a.node == b.node) {
		if (normal(&p->nodes.items[a.node], a.off) != normal(&p->nodes.items[b.node], b.off))
			set_modulus(p, a.node, a.off - b.off);
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
	for (uint32_t i = 0; i < from->function_count; i++)
		add_function(p, big, from->functions[i]);
	free(from->functions);
	from->functions = NULL;
	if (from->modulus)
		set_modulus(p, big, from->modulus);
	for (uint32_t i = 0; i < p->nodes.items[small].region_count; i++) {
		struct region r = p->nodes.items[small].regions[i];

		r.start += delta;
		r.end = r.end == INT64_MAX ? r.end : r.end + delta;
		add_region(p, big, r);
	}
	for (uint32_t i = 0; i < p->nodes.items[small].field_count; i++) {
		struct field old = p->nodes.items[small].fields[i];
		uint32_t before = p->nodes.items[big].field_count;
		struct field *f = field_at(p, big, old.off + delta, true);

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
		make_self(p, big);
}

static void unify(struct points_to *p, struct cell a, struct cell b)
{
	merge(p, a, b);
	while (p->pending.count) {
		a = p->pending.items[p->pending.count - 1].a;
		b = p->pending.items[--p->pending.count].b;
		merge(p, a, b);
	}
}

/* ---- operands -------------------------------------------------------------------------------------------------- */

static struct cell value_cell(struct points_to *p, uint32_t f, uint32_t v)
{
	struct cell *c = &p->values[p->s->functions[f].value_base + v];

	if (!c->node)
		*c = fresh(p);
	return *c;
}

static struct cell function_cell(struct points_to *p, uint32_t f)
{
	if (!p->functions[f].node) {
		p->functions[f] = fresh(p);
		add_function(p, p->functions[f].node, f);
	}
	return p->functions[f];
}

/* none: a number. Values get a cell only if make. */
static struct cell operand(struct points_to *p, uint32_t f, ir_operand o, bool make)
{
	const struct scan *s = p->s;
	uint32_t unit = s->program->functions[f].unit;
	const struct ir_constant *c;
	struct cell cell = { 0, 0 };

	switch (ir_kind(o)) {
	case IR_K_VALUE:
		return make ? value_cell(p, f, ir_index(o)) : p->values[s->functions[f].value_base + ir_index(o)];
	case IR_K_GLOBAL:
		return p->globals[s->program->global_of[unit][ir_index(o)]];
	case IR_K_FUNC:
		return function_cell(p, s->program->function_of[unit][ir_index(o)]);
	case IR_K_CONST:
		c = &s->program->units[unit].constants[ir_index(o)];
		if (ir_kind(c->base) == IR_K_GLOBAL || ir_kind(c->base) == IR_K_FUNC) {
			cell = operand(p, f, c->base, true);
			cell.off += c->value;
		}
		return cell;
	default:
		return cell;
	}
}

static void assign(struct points_to *p, uint32_t f, uint32_t dst, ir_operand from)
{
	struct cell c;

	if (dst == IR_NO)
		return;
	c = operand(p, f, from, ir_kind(from) == IR_K_VALUE);
	if (c.node)
		unify(p, value_cell(p, f, dst), c);
}

static struct cell content(struct points_to *p, struct cell at, bool stored)
{
	struct cell c = find(p, at);
	struct field *field;

	if (!c.node)
		return c;
	field = field_at(p, c.node, c.off, true);
	field->stored |= stored;
	return field->to;
}

static void collapse(struct points_to *p, struct cell c)
{
	if (c.node) {
		set_modulus(p, root_of(p, c).node, 1);
		unify(p, c, c);
	}
}

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

/* Which array inside this type holds offset off? start and size of the whole field, or false. */
static bool array_around(const struct ir_unit *unit, uint32_t type, int64_t off, int64_t *start, int64_t *end, uint64_t stride)
{
	int64_t base = 0;

	for (int depth = 0; depth < 8 && type != IR_NO; depth++) {
		const struct ir_type *t = &unit->types[type];
		const struct ir_field *hit = NULL;

		if (t->element_size) {
			if (off - base < 0 || t->element == IR_NO || t->element_size == stride)
				return false; /* an array by itself: the whole object */
			base += (off - base) / (int64_t)t->element_size * (int64_t)t->element_size;
			type = t->element;
			continue;
		}
		for (uint32_t i = 0; i < t->field_count; i++) {
			const struct ir_field *field = &unit->fields[t->first_field + i];

			if (!t->is_union && off - base >= (int64_t)field->offset && off - base < (int64_t)(field->offset + field->size))
				hit = field;
		}
		if (!hit)
			return false;
		*start = base + (int64_t)hit->offset;
		*end = hit == &unit->fields[t->first_field + t->field_count - 1] ? INT64_MAX : *start + (int64_t)hit->size;
		if (hit->type == IR_NO || (unit->types[hit->type].element_size && (unit->types[hit->type].element == IR_NO ||
		    unit->types[hit->type].element_size == stride)))
			return hit->size >= stride;
		base = *start;
		type = hit->type;
	}
	return false;
}

static void index_region(struct points_to *p, uint32_t f, const struct ir_instr *in, struct cell base)
{
	const struct ir_unit *unit = scan_unit(p->s, f);
	struct cell c = root_of(p, base);
	int64_t start, end;
	bool known = false;

	if (ir_kind(in->a) == IR_K_VALUE) {
		const struct ir_instr *def = p->def[ir_index(in->a)];

		if (def && def->op == IR_FIELD && def->type != IR_NO) {
			const struct ir_type *t = &unit->types[def->type];
			const struct ir_field *field = &unit->fields[t->first_field + def->field];

			known = !t->is_union && field->size > in->size && def->field < t->field_count;
			start = c.off;
			end = def->field == t->field_count - 1 ? INT64_MAX : c.off + (int64_t)field->size;
		}
	} else if (ir_kind(in->a) == IR_K_CONST || ir_kind(in->a) == IR_K_GLOBAL) {
		const struct ir_constant *k = ir_kind(in->a) == IR_K_CONST ? &unit->constants[ir_index(in->a)] : NULL;
		ir_operand o = k ? k->base : in->a;
		int64_t off = k ? k->value : 0;

		if (ir_kind(o) == IR_K_GLOBAL && unit->globals[ir_index(o)].type != IR_NO) {
			known = array_around(unit, unit->globals[ir_index(o)].type, off, &start, &end, in->size);
			if (known) {
				start += c.off - off;
				end = end == INT64_MAX ? end : end + c.off - off;
			}
		}
	}
	if (known)
		add_region(p, c.node, (struct region){ start, end, in->size });
	else
		set_modulus(p, c.node, in->size ? in->size : 1);
	unify(p, base, base); /* works off what is pending */
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

static void bind_formal(struct points_to *p, uint32_t callee, uint32_t i, struct cell c)
{
	const struct ir_function *function = scan_function(p->s, callee);

	if (!c.node)
		return;
	if (i < function->formal_count)
		unify(p, value_cell(p, callee, i), c);
	else if (function->variadic) {
		if (!p->varargs[callee].node)
			p->varargs[callee] = fresh(p);
		unify(p, p->varargs[callee], c);
	}
}

/* The cell of a function's result is kept in the value after its last: see value_base. */
static struct cell result_cell(struct points_to *p, uint32_t f)
{
	return value_cell(p, f, scan_function(p->s, f)->value_count);
}

static void bind_call(struct points_to *p, uint32_t f, const struct ir_instr *in, uint32_t callee)
{
	const struct ir_unit *unit = scan_unit(p->s, f);

	for (uint32_t i = 0; i < in->size; i++)
		bind_formal(p, callee, i, operand(p, f, unit->extras[in->extra + i], ir_kind(unit->extras[in->extra + i]) == IR_K_VALUE));
	if (in->dst != IR_NO)
		unify(p, value_cell(p, f, in->dst), result_cell(p, callee));
}

/* Functions an operand may be: itself, or those of its class. */
static size_t functions_of(struct points_to *p, struct cell c, const uint32_t **list)
{
	c = find(p, c);
	if (!c.node)
		return 0;
	*list = p->nodes.items[c.node].functions;
	return p->nodes.items[c.node].function_count;
}

static struct cell argument(struct points_to *p, uint32_t f, const struct ir_instr *in, int i)
{
	const struct ir_unit *unit = scan_unit(p->s, f);

	if (i < 0 || (uint32_t)i >= in->size)
		return (struct cell){ 0, 0 };
	return operand(p, f, unit->extras[in->extra + (uint32_t)i], true);
}

static struct cell fixed_cell(struct points_to *p, const char *name)
{
	uint32_t at = 0;

	for (const char *c = name; c && *c; c++)
		at = at * 31 + (unsigned char)*c;
	at %= 64;
	if (!p->fixed[at].node)
		p->fixed[at] = object(p);
	return p->fixed[at];
}

static void entry_call(struct points_to *p, uint32_t f, const struct ir_instr *in, const struct model *m, bool anything)
{
	struct cell c = argument(p, f, in, m->entry);
	const uint32_t *list;
	size_t count;

	if (m->entry_indirect && c.node) {
		c.off += m->entry_offset;
		c = content(p, c, false);
	}
	count = functions_of(p, c, &list);
	for (size_t i = 0; i < count; i++) {
		uint32_t callee = functions_of(p, c, &list) > i ? list[i] : 0;

		if (anything) {
			for (uint32_t j = 0; j < scan_function(p->s, callee)->formal_count; j++)
				for (uint32_t k = 0; k < in->size && k < 31; k++)
					if (m->passes >> k & 1) { /* any element of it */
						collapse(p, argument(p, f, in, (int)k));
						bind_formal(p, callee, j, argument(p, f, in, (int)k));
					}
		} else if (m->argument >= 0)
			bind_formal(p, callee, 0, argument(p, f, in, m->argument));
	}
}

static void apply_model(struct points_to *p, uint32_t f, const struct ir_instr *in, const struct model *m)
{
	struct cell result = in->dst != IR_NO ? value_cell(p, f, in->dst) : (struct cell){ 0, 0 };
	struct cell to, from;

	if (m->entry >= 0)
		entry_call(p, f, in, m, m->kind == MODEL_CALLS);
	if (m->returns >= 0) {
		from = argument(p, f, in, m->returns);
		collapse(p, from);
		unify(p, result, from);
	}
	if (m->returns_static)
		unify(p, result, fixed_cell(p, m->fixed));
	if (m->kind == MODEL_GET_OWN || m->kind == MODEL_SET_OWN) { /* one class for all slots */
		struct cell slot = fixed_cell(p, "pthread_setspecific");

		unify(p, content(p, slot, true), m->kind == MODEL_GET_OWN ? result : argument(p, f, in, m->argument));
	}
	if (m->copy_from >= 0) {
		from = argument(p, f, in, m->copy_from);
		to = m->copy_to == -2 ? result : argument(p, f, in, m->copy_to);
		if (m->kind == MODEL_FREE)
			unify(p, to, from);
		else if (to.node && from.node)
			unify(p, content(p, to, true), content(p, from, false));
	}
	if (m->keeps) {
		struct cell kept = content(p, fixed_cell(p, "kept"), true);

		for (uint32_t i = 0; i < in->size && i < 31; i++)
			if (m->keeps >> i & 1)
				unify(p, kept, argument(p, f, in, (int)i));
	}
	if (m->kind == MODEL_ALLOC && result.node) {
		p->nodes.items[root_of(p, result).node].objects++;
	}
}

/* Nobody knows what it does: what its arguments reach is one class, and the result is of it. */
static void unknown_call(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	struct cell all = in->dst != IR_NO ? value_cell(p, f, in->dst) : (struct cell){ 0, 0 };

	for (uint32_t i = 0; i < in->size; i++) {
		ir_operand o = scan_unit(p->s, f)->extras[in->extra + i];
		struct cell c = operand(p, f, o, false);

		if (!c.node)
			continue;
		if (all.node)
			unify(p, all, c);
		all = c;
		make_self(p, root_of(p, c).node);
		unify(p, c, c);
	}
}

static void call(struct points_to *p, uint32_t f, const struct ir_instr *in, bool first)
{
	const uint32_t *list;
	size_t count;

	if (ir_kind(in->a) == IR_K_FUNC) {
		uint32_t callee = scan_callee(p->s, f, ir_index(in->a));
		const struct function_info *info = &p->s->functions[callee];

		if (info->defined) {
			if (first)
				bind_call(p, f, in, callee);
		} else if (info->model)
			for (const struct model *m = info->model; m; m = m->next)
				apply_model(p, f, in, m);
		else
			unknown_call(p, f, in);
		return;
	}
	count = functions_of(p, operand(p, f, in->a, true), &list);
	for (size_t i = 0; i < count; i++) {
		uint32_t callee;

		functions_of(p, operand(p, f, in->a, true), &list);
		callee = list[i];
		if (p->s->functions[callee].defined)
			bind_call(p, f, in, callee);
		else if (p->s->functions[callee].model)
			for (const struct model *m = p->s->functions[callee].model; m; m = m->next)
				apply_model(p, f, in, m);
		else
			unknown_call(p, f, in);
	}
}

/* ---- instructions -------------------------------------------------------------------------------------------------------- */

static bool from_int_cast(const struct points_to *p, ir_operand o)
{
	const struct ir_instr *def = ir_kind(o) == IR_K_VALUE ? p->def[ir_index(o)] : NULL;

	return def && (def->op == IR_TO_INT || (def->op == IR_ARITH && (from_int_cast(p, def->a) || from_int_cast(p, def->b))));
}

static void to_pointer(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	assign(p, f, in->dst, in->a);
}

static void load(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	struct cell at = operand(p, f, in->a, true);

	if (in->dst == IR_NO || !at.node)
		return;
	if (in->flags & IR_F_POINTER || p->values[p->s->functions[f].value_base + in->dst].node)
		unify(p, value_cell(p, f, in->dst), content(p, at, false));
}

static void store(struct points_to *p, uint32_t f, const struct ir_instr *in, ir_operand from)
{
	struct cell at = operand(p, f, in->a, true), c;
	bool pointer = in->flags & IR_F_POINTER || from_int_cast(p, from);

	if (!at.node)
		return;
	c = operand(p, f, from, pointer && ir_kind(from) == IR_K_VALUE);
	if (c.node && (pointer || in->size == 8 || !in->size))
		unify(p, content(p, at, true), c);
	else if (in->size == 8 && ir_kind(from) != IR_K_NULL) {
		struct cell where = find(p, at);
		struct field *field = field_at(p, where.node, where.off, true);

		field->stored = true;
	}
}

static void opaque(struct points_to *p, uint32_t f, const struct ir_instr *in, uint32_t step)
{
	const struct ir_unit *unit = scan_unit(p->s, f);
	struct cell all = { 0, 0 };

	for (uint32_t i = 0; i + step <= in->size; i += step) {
		struct cell c = operand(p, f, unit->extras[in->extra + i], false);

		if (!c.node)
			continue;
		if (all.node)
			unify(p, all, c);
		all = c;
	}
	if (p->varargs[f].node && in->op == IR_OPAQUE && all.node)
		unify(p, all, p->varargs[f]);
	if (all.node && in->dst != IR_NO)
		unify(p, value_cell(p, f, in->dst), all);
}

static void visit(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	const struct ir_unit *unit = scan_unit(p->s, f);
	struct cell base, to;

	switch (in->op) {
	case IR_ALLOCA:
		to = value_cell(p, f, in->dst);
		p->nodes.items[root_of(p, to).node].objects++;
		break;
	case IR_LOAD: load(p, f, in); break;
	case IR_STORE: store(p, f, in, in->b); break;
	case IR_RMW: store(p, f, in, in->b); load(p, f, in); break;
	case IR_CMPXCHG:
		store(p, f, in, in->c);
		load(p, f, in);
		break;
	case IR_FIELD:
	case IR_INDEX:
		base = operand(p, f, in->a, true);
		if (!base.node)
			break;
		if (in->op == IR_INDEX)
			index_region(p, f, in, base);
		base.off += in->imm;
		unify(p, value_cell(p, f, in->dst), base);
		break;
	case IR_TO_PTR: to_pointer(p, f, in); break;
	case IR_COPY: case IR_TO_INT: case IR_EXTRACT:
		if (in->op == IR_TO_INT || (ir_kind(in->a) == IR_K_VALUE && p->values[p->s->functions[f].value_base + ir_index(in->a)].node) ||
		    p->values[p->s->functions[f].value_base + in->dst].node)
			assign(p, f, in->dst, in->a);
		break;
	case IR_SELECT:
		if (operand(p, f, in->b, false).node || operand(p, f, in->c, false).node || p->values[p->s->functions[f].value_base + in->dst].node) {
			assign(p, f, in->dst, in->b);
			assign(p, f, in->dst, in->c);
		}
		break;
	case IR_PHI: {
		bool any = p->values[p->s->functions[f].value_base + in->dst].node;

		for (uint32_t i = 0; i + 1 < in->size; i += 2)
			any |= operand(p, f, unit->extras[in->extra + i + 1], false).node != 0;
		for (uint32_t i = 0; any && i + 1 < in->size; i += 2)
			assign(p, f, in->dst, unit->extras[in->extra + i + 1]);
		break;
	}
	case IR_ARITH: /* pointers computed as integers: any offset */
		if (in->sub != IR_A_ADD && in->sub != IR_A_SUB && in->sub != IR_A_AND && in->sub != IR_A_OR)
			break;
		base = operand(p, f, in->a, false);
		to = in->sub == IR_A_SUB ? (struct cell){ 0, 0 } : operand(p, f, in->b, false);
		if (!base.node && !to.node)
			break;
		if (in->sub == IR_A_SUB && operand(p, f, in->b, false).node)
			break; /* a distance */
		collapse(p, base);
		collapse(p, to);
		if (base.node)
			unify(p, value_cell(p, f, in->dst), base);
		if (to.node)
			unify(p, value_cell(p, f, in->dst), to);
		break;
	case IR_CALL: call(p, f, in, true); break;
	case IR_ASM: opaque(p, f, in, 2); break;
	case IR_OPAQUE: opaque(p, f, in, 1); break;
	case IR_MEMCPY:
		base = operand(p, f, in->a, true);
		to = operand(p, f, in->c, true);
		if (base.node && to.node) {
			unify(p, base, to);
			p->nodes.items[root_of(p, base).node].copied = true;
		}
		break;
	case IR_RET:
		base = operand(p, f, in->a, ir_kind(in->a) == IR_K_VALUE && in->flags & IR_F_POINTER);
		if (base.node)
			unify(p, result_cell(p, f), base);
		break;
	default:
		break;
	}
}

static void define(struct points_to *p, uint32_t f)
{
	const struct function_info *info = &p->s->functions[f];
	const struct ir_unit *unit = scan_unit(p->s, f);
	uint32_t count = scan_function(p->s, f)->value_count + 1;

	if (count > p->def_size) {
		p->def_size = count * 2;
		p->def = realloc(p->def, p->def_size * sizeof(*p->def));
		if (!p->def)
			BUG("out of memory");
	}
	memset(p->def, 0, count * sizeof(*p->def));
	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i];

		if (in->dst != IR_NO)
			p->def[in->dst] = in;
	}
}

static void visit_function(struct points_to *p, uint32_t f)
{
	const struct function_info *info = &p->s->functions[f];
	const struct ir_unit *unit = scan_unit(p->s, f);

	define(p, f);
	/* Integers that become pointers: give them a class first, so that loads and stores follow them. */
	for (uint32_t i = info->instr_count; i-- > 0;) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i];

		if (in->op == IR_TO_PTR && ir_kind(in->a) == IR_K_VALUE)
			value_cell(p, f, ir_index(in->a));
		if ((in->op == IR_COPY || in->op == IR_ARITH) && p->values[info->value_base + in->dst].node) {
			if (ir_kind(in->a) == IR_K_VALUE)
				value_cell(p, f, ir_index(in->a));
		}
	}
	for (uint32_t i = 0; i < info->instr_count; i++)
		visit(p, f, &unit->instrs[info->first_instr + i]);
}

static void globals(struct points_to *p)
{
	const struct linked *l = p->s->program;

	for (size_t g = 0; g < l->global_count; g++)
		p->globals[g] = object(p);
	for (size_t g = 0; g < l->global_count; g++) {
		const struct ir_unit *unit = &l->units[l->globals[g].unit];
		const struct ir_global *global = linked_global(l, (uint32_t)g);

		for (uint32_t i = 0; i < global->init_count; i++) {
			const struct ir_init *init = &unit->inits[global->first_init + i];
			ir_operand o = init->value;
			struct cell at = p->globals[g], to = { 0, 0 };
			int64_t off = 0;

			if (ir_kind(o) == IR_K_CONST) {
				off = unit->constants[ir_index(o)].value;
				o = unit->constants[ir_index(o)].base;
			}
			if (ir_kind(o) == IR_K_GLOBAL)
				to = p->globals[l->global_of[l->globals[g].unit][ir_index(o)]];
			else if (ir_kind(o) == IR_K_FUNC)
				to = function_cell(p, l->function_of[l->globals[g].unit][ir_index(o)]);
			if (!to.node)
				continue;
			to.off += off;
			at.off = (int64_t)init->offset;
			unify(p, content(p, at, false), to);
		}
	}
}

/* I4: pointers that come from nowhere; pointers that disappear in "...". */
static void casts(struct points_to *p)
{
	struct scan *s = p->s;

	for (uint32_t f = 0; f < s->function_count; f++) {
		const struct function_info *info = &s->functions[f];

		for (uint32_t i = 0; info->defined && i < info->instr_count; i++) {
			const struct ir_instr *in = &scan_unit(s, f)->instrs[info->first_instr + i];

			if (in->op == IR_TO_PTR && ir_kind(in->a) == IR_K_VALUE) {
				const struct node *n = &p->nodes.items[root_of(p, value_cell(p, f, in->dst)).node];

				if (!n->objects && !n->self && !n->function_count && n->field_count)
					assume(s, ASSUME_CAST, false, f, in, "an integer becomes a pointer, and where it comes from is not followed");
			}
			if (in->op == IR_CALL && ir_kind(in->a) == IR_K_FUNC) {
				uint32_t callee = scan_callee(s, f, ir_index(in->a));

				if (s->functions[callee].defined && scan_function(s, callee)->variadic && p->varargs[callee].node &&
				    p->nodes.items[root_of(p, p->varargs[callee]).node].objects)
					assume(s, ASSUME_CAST, false, f, in, "pointers passed in \"...\" to %s are not followed",
					       ir_string(scan_unit(s, callee), scan_function(s, callee)->display));
			}
		}
	}
}

int points_to(struct scan *s)
{
	struct points_to *p = calloc(1, sizeof(*p));

	if (!p)
		BUG("out of memory");
	s->points_to = p;
	p->s = s;
	p->values = calloc(s->value_count + 1, sizeof(*p->values));
	p->globals = calloc(s->program->global_count + 1, sizeof(*p->globals));
	p->functions = calloc(s->function_count + 1, sizeof(*p->functions));
	p->varargs = calloc(s->function_count + 1, sizeof(*p->varargs));
	if (!p->values || !p->globals || !p->functions || !p->varargs)
		BUG("out of memory");
	fresh(p); /* node 0: nothing */
	globals(p);
	for (uint32_t f = 0; f < s->function_count; f++)
		if (s->functions[f].defined)
			visit_function(p, f);
	/* Values that got a class late (phis, copies of integers), calls through pointers: until nothing moves. */
	for (int round = 0; round < 20; round++) {
		p->changed = false;
		for (uint32_t f = 0; f < s->function_count; f++) {
			const struct function_info *info = &s->functions[f];

			if (!info->defined)
				continue;
			define(p, f);
			for (uint32_t i = 0; i < info->instr_count; i++) {
				const struct ir_instr *in = &scan_unit(s, f)->instrs[info->first_instr + i];

				switch (in->op) {
				case IR_CALL: case IR_PHI: case IR_SELECT: case IR_COPY: case IR_LOAD: case IR_ARITH: case IR_STORE:
				case IR_EXTRACT: case IR_OPAQUE: case IR_RET: case IR_ASM:
					visit(p, f, in);
				}
			}
		}
		if (!p->changed)
			break;
		if (round == 19)
			assume(s, ASSUME_BUDGET, false, IR_NO, NULL, "points-to did not come to rest after 20 rounds");
	}
	casts(p);
	for (uint32_t n = 1; n < p->nodes.count; n++) /* flat: from now on read only, by several workers */
		root_of(p, (struct cell){ n, 0 });
	return 0;
}

void points_to_free(struct scan *s)
{
	struct points_to *p = s->points_to;

	if (!p)
		return;
	for (size_t i = 0; i < p->nodes.count; i++) {
		free(p->nodes.items[i].fields);
		free(p->nodes.items[i].regions);
		free(p->nodes.items[i].functions);
	}
	VEC_FREE(&p->nodes);
	VEC_FREE(&p->pending);
	free(p->values);
	free(p->globals);
	free(p->functions);
	free(p->varargs);
	free(p->def);
	free(p);
	s->points_to = NULL;
}

/* ---- asking ------------------------------------------------------------------------------------------------------------------ */

struct cell points_to_find(const struct scan *s, struct cell c)
{
	const struct points_to *p = s->points_to;

	if (!c.node)
		return c;
	while (p->nodes.items[c.node].parent != c.node) {
		c.off += p->nodes.items[c.node].delta;
		c.node = p->nodes.items[c.node].parent;
	}
	c.off = normal(&p->nodes.items[c.node], c.off);
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
	return operand(s->points_to, f, o, false);
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

void points_to_reach(const struct scan *s, struct cell start, void (*visitor)(void *context, struct cell cell), void *context)
{
	const struct points_to *p = s->points_to;
	VEC(uint32_t) list = { 0 };

	start = points_to_find(s, start);
	if (start.node)
		VEC_PUSH(&list, start.node);
	for (size_t i = 0; i < list.count; i++) {
		const struct node *node = &p->nodes.items[list.items[i]];

		visitor(context, (struct cell){ list.items[i], 0 });
		for (uint32_t j = 0; j < node->field_count; j++) {
			struct cell to = points_to_find(s, node->fields[j].to);
			bool known = !to.node;

			for (size_t k = 0; k < list.count && !known; k++)
				known = list.items[k] == to.node;
			if (!known && list.count < 256)
				VEC_PUSH(&list, to.node);
		}
	}
	VEC_FREE(&list);
}

size_t points_to_node_count(const struct scan *s)
{
	return s->points_to->nodes.count;
}
