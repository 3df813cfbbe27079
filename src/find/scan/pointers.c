/*
 * pointers - where function pointers come from, by the struct field they are kept in; for kernels.
 *
 * Steensgaard's classes run together in a kernel until a call of ops->open() may lead anywhere.
 * Functions are rarely mixed so: they are written into fields, and read from fields of the same type.
 *
 *     &my_open ──► slot (file_operations, open) ──load──► value ──► call
 *                  ▲ initialisers, stores of values, formals, results: inclusion, not unification
 *
 * Only what is called through is looked at: nodes are made backwards from the calls, each knows who
 * it flows to, and functions are pushed forward until nothing moves.
 *
 * I1  A slot is (type of the program, field): objects of one type are one, arrays are one element.
 * I2  A node that gets something nobody follows (an integer, what an unknown pointer points to) is
 *     `open`: its functions are not all. Openness flows as functions do.
 * I3  What is stored through a pointer of another type is not seen. That is why a proof never rests
 *     on this (analyse.c lists it), and why programs with a main do without.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

enum node_kind { NODE_VALUE, NODE_SLOT, NODE_GLOBAL, NODE_RESULT };
struct spot {
	uint32_t kind, a, b; /* enum node_kind; function and value, type and field, global, function */
};
struct flow_node {
	struct spot at;
	bool open;
	uint32_t edges;      /* first of edges[] + 1: where it flows to */
	uint32_t set;        /* first of members[] + 1 */
	uint32_t callers;    /* first of watches[] + 1: calls through it */
};
struct link {
	uint32_t to, next;
};
struct store {
	uint64_t where;      /* key of the place */
	uint32_t function;   /* IR_NO: an initialiser of unit `unit` */
	uint32_t unit;
	ir_operand value;
};
struct call_site {
	uint32_t function, instr, node;
	uint32_t type, field; /* the field called through, or IR_NO */
};
struct pointers {
	struct scan *s;
	VEC(struct flow_node) nodes;
	VEC(struct link) edges, members, watches, visitors;
	VEC(struct store) stores;
	VEC(struct call_site) sites;
	uint32_t *node_slots;
	size_t node_slot_count;
	uint64_t *pair_slots;             /* (node, function) that are known */
	size_t pair_slot_count, pair_count;
	VEC(struct link) work;            /* function `to` has come to node `next`; IR_NO: it is open now */
	uint32_t *direct_first;           /* per function: its direct calls, in direct[] */
	struct call_site *direct;
	uint32_t *visited_by;             /* per function: first of visitors[] + 1: sites that reach it through a pointer */
	uint32_t *site_at;                /* per instruction of the program: sites[] + 1 */
	uint32_t **defs;                  /* per function: instruction + 1 that defines each value, made when asked */
	uint32_t *answer_first;
	uint32_t *answers;
};

/* ---- places and nodes --------------------------------------------------------------------------------- */

static uint64_t spot_key(struct spot p)
{
	return intern_mix(p.kind, intern_mix(p.a, p.b)) | 1;
}

static uint32_t *node_slot(struct pointers *p, struct spot at)
{
	size_t mask = p->node_slot_count - 1, i = spot_key(at) & mask;

	for (; p->node_slots[i]; i = (i + 1) & mask)
		if (!memcmp(&p->nodes.items[p->node_slots[i] - 1].at, &at, sizeof(at)))
			break;
	return &p->node_slots[i];
}

static void nodes_grow(struct pointers *p)
{
	free(p->node_slots);
	p->node_slot_count = p->node_slot_count ? p->node_slot_count * 2 : 4096;
	p->node_slots = calloc(p->node_slot_count, sizeof(*p->node_slots));
	if (!p->node_slots)
		BUG("out of memory");
	for (uint32_t i = 0; i < p->nodes.count; i++)
		*node_slot(p, p->nodes.items[i].at) = i + 1;
}

static uint32_t node_of(struct pointers *p, struct spot at)
{
	uint32_t *slot;

	if ((p->nodes.count + 1) * 2 > p->node_slot_count)
		nodes_grow(p);
	slot = node_slot(p, at);
	if (!*slot) {
		VEC_PUSH(&p->nodes, (struct flow_node){ .at = at });
		*slot = (uint32_t)p->nodes.count;
		VEC_PUSH(&p->work, (struct link){ UINT32_MAX - 1, (uint32_t)p->nodes.count - 1 }); /* to be expanded */
		return (uint32_t)p->nodes.count - 1;
	}
	return *slot - 1;
}

static bool new_member(struct pointers *p, uint32_t node, uint32_t function)
{
	uint64_t key = ((uint64_t)node << 32 | function) + 1;
	size_t i;

	if ((p->pair_count + 1) * 2 > p->pair_slot_count) {
		size_t count = p->pair_slot_count ? p->pair_slot_count * 2 : 4096;
		uint64_t *slots = calloc(count, sizeof(*slots));

		if (!slots)
			BUG("out of memory");
		for (size_t j = 0; j < p->pair_slot_count; j++) {
			if (!p->pair_slots[j])
				continue;
			for (i = intern_mix(1, p->pair_slots[j]) & (count - 1); slots[i]; i = (i + 1) & (count - 1))
				;
			slots[i] = p->pair_slots[j];
		}
		free(p->pair_slots);
		p->pair_slots = slots;
		p->pair_slot_count = count;
	}
	for (i = intern_mix(1, key) & (p->pair_slot_count - 1); p->pair_slots[i]; i = (i + 1) & (p->pair_slot_count - 1))
		if (p->pair_slots[i] == key)
			return false;
	p->pair_slots[i] = key;
	p->pair_count++;
	return true;
}

static void put(struct pointers *p, uint32_t node, uint32_t function)
{
	if (function == IR_NO) {
		if (p->nodes.items[node].open)
			return;
		p->nodes.items[node].open = true;
	} else {
		if (!new_member(p, node, function))
			return;
		VEC_PUSH(&p->members, (struct link){ function, p->nodes.items[node].set });
		p->nodes.items[node].set = (uint32_t)p->members.count;
	}
	VEC_PUSH(&p->work, (struct link){ function, node });
}

static void flows(struct pointers *p, uint32_t from, uint32_t to)
{
	if (from == to)
		return;
	for (uint32_t e = p->nodes.items[from].edges, n = 0; e && n < 64; e = p->edges.items[e - 1].next, n++)
		if (p->edges.items[e - 1].to == to)
			return;
	VEC_PUSH(&p->edges, (struct link){ to, p->nodes.items[from].edges });
	p->nodes.items[from].edges = (uint32_t)p->edges.count;
	if (p->nodes.items[from].open)
		put(p, to, IR_NO);
	for (uint32_t m = p->nodes.items[from].set; m; m = p->members.items[m - 1].next)
		put(p, to, p->members.items[m - 1].to);
}

/* ---- what an operand or an address is -------------------------------------------------------------------- */

static const struct ir_instr *definition(struct pointers *p, uint32_t f, uint32_t value)
{
	const struct function_info *info = &p->s->functions[f];
	const struct ir_unit *unit = scan_unit(p->s, f);

	if (!p->defs[f]) {
		p->defs[f] = calloc(scan_function(p->s, f)->value_count + 1, sizeof(uint32_t));
		if (!p->defs[f])
			BUG("out of memory");
		for (uint32_t i = 0; i < info->instr_count; i++)
			if (unit->instrs[info->first_instr + i].dst != IR_NO)
				p->defs[f][unit->instrs[info->first_instr + i].dst] = i + 1;
	}
	return p->defs[f][value] ? &unit->instrs[info->first_instr + p->defs[f][value] - 1] : NULL;
}

static bool slot(struct pointers *p, uint32_t unit, uint32_t type, uint32_t field, struct spot *at)
{
	const struct ir_unit *u = &p->s->program->units[unit];

	if (type == IR_NO || !*ir_string(u, u->types[type].name) || field >= u->types[type].field_count)
		return false;
	*at = (struct spot){ NODE_SLOT, p->s->program->type_of[unit][type], field };
	return true;
}

/* The innermost field of a global at an offset. */
static bool slot_in_global(struct pointers *p, uint32_t unit, uint32_t type, int64_t off, struct spot *at)
{
	const struct ir_unit *u = &p->s->program->units[unit];
	bool found = false;

	for (int depth = 0; depth < 12 && type != IR_NO && off >= 0; depth++) {
		const struct ir_type *t = &u->types[type];
		uint32_t hit;

		if (t->element_size) {
			off %= (int64_t)t->element_size;
			type = t->element;
			continue;
		}
		hit = ir_field_at(u, t, off);
		if (hit == IR_NO)
			break;
		found |= slot(p, unit, type, hit, at);
		off -= (int64_t)u->fields[t->first_field + hit].offset;
		type = u->fields[t->first_field + hit].type;
	}
	return found;
}

/* Which place does this address name? false: nobody knows. */
static bool spot_of(struct pointers *p, uint32_t f, ir_operand o, struct spot *at)
{
	uint32_t unit = p->s->program->functions[f].unit;
	const struct ir_unit *u = scan_unit(p->s, f);
	int64_t off = 0;

	for (int depth = 0; depth < 16 && ir_kind(o) == IR_K_VALUE; depth++) {
		const struct ir_instr *def = definition(p, f, ir_index(o));

		if (!def || (def->op != IR_FIELD && def->op != IR_INDEX))
			return false;
		if (slot(p, unit, def->type, def->field, at))
			return true;
		o = def->a; /* an element of an array */
	}
	if (ir_kind(o) == IR_K_CONST) {
		off = u->constants[ir_index(o)].value;
		o = u->constants[ir_index(o)].base;
	}
	if (ir_kind(o) != IR_K_GLOBAL)
		return false;
	if (!slot_in_global(p, unit, u->globals[ir_index(o)].type, off, at))
		*at = (struct spot){ NODE_GLOBAL, p->s->program->global_of[unit][ir_index(o)], 0 };
	return true;
}

static void flows_operand(struct pointers *p, uint32_t f, uint32_t unit, ir_operand o, uint32_t to)
{
	const struct ir_unit *u = &p->s->program->units[unit];

	if (ir_kind(o) == IR_K_CONST)
		o = u->constants[ir_index(o)].base;
	if (ir_kind(o) == IR_K_FUNC)
		put(p, to, p->s->program->function_of[unit][ir_index(o)]);
	else if (ir_kind(o) == IR_K_VALUE && f != IR_NO)
		flows(p, node_of(p, (struct spot){ NODE_VALUE, f, ir_index(o) }), to);
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

static void flows_actual(struct pointers *p, uint32_t f, uint32_t instr, uint32_t formal, uint32_t to)
{
	const struct ir_unit *unit = scan_unit(p->s, f);
	const struct ir_instr *in = &unit->instrs[instr];

	if (formal < in->size)
		flows_operand(p, f, p->s->program->functions[f].unit, unit->extras[in->extra + formal], to);
}

static bool known_node(struct pointers *p, struct spot at, uint32_t *node)
{
	uint32_t slot = p->node_slot_count ? *node_slot(p, at) : 0;

	*node = slot - 1;
	return slot != 0;
}

/* A call through a pointer reaches a function: what is asked about its formals and results flows. */
static void reaches(struct pointers *p, uint32_t site, uint32_t callee)
{
	struct call_site at = p->sites.items[site];
	const struct ir_instr *in = &scan_unit(p->s, at.function)->instrs[at.instr];
	uint32_t node;

	if (!p->s->functions[callee].defined)
		return;
	VEC_PUSH(&p->visitors, (struct link){ site, p->visited_by[callee] });
	p->visited_by[callee] = (uint32_t)p->visitors.count;
	for (uint32_t i = 0; i < scan_function(p->s, callee)->formal_count; i++)
		if (known_node(p, (struct spot){ NODE_VALUE, callee, i }, &node))
			flows_actual(p, at.function, at.instr, i, node);
	if (in->dst != IR_NO && known_node(p, (struct spot){ NODE_VALUE, at.function, in->dst }, &node))
		flows(p, node_of(p, (struct spot){ NODE_RESULT, callee, 0 }), node);
}

/* ---- where a node gets its functions from ---------------------------------------------------------------------- */

static void expand_formal(struct pointers *p, uint32_t node, uint32_t f, uint32_t i)
{
	for (uint32_t c = p->direct_first[f]; c < p->direct_first[f + 1]; c++)
		flows_actual(p, p->direct[c].function, p->direct[c].instr, i, node);
	for (uint32_t v = p->visited_by[f]; v; v = p->visitors.items[v - 1].next) {
		struct call_site at = p->sites.items[p->visitors.items[v - 1].to];

		flows_actual(p, at.function, at.instr, i, node);
	}
}

static void expand_call(struct pointers *p, uint32_t node, uint32_t f, const struct ir_instr *in)
{
	uint32_t site;

	if (ir_kind(in->a) == IR_K_FUNC) {
		uint32_t callee = scan_callee(p->s, f, ir_index(in->a));

		if (p->s->functions[callee].defined)
			flows(p, node_of(p, (struct spot){ NODE_RESULT, callee, 0 }), node);
		else
			put(p, node, IR_NO);
		return;
	}
	site = p->site_at[scan_site(p->s, f, (uint32_t)(in - scan_unit(p->s, f)->instrs))];
	for (uint32_t m = site ? p->nodes.items[p->sites.items[site - 1].node].set : 0; m; m = p->members.items[m - 1].next)
		if (p->s->functions[p->members.items[m - 1].to].defined)
			flows(p, node_of(p, (struct spot){ NODE_RESULT, p->members.items[m - 1].to, 0 }), node);
}

static void expand_value(struct pointers *p, uint32_t node, uint32_t f, uint32_t value)
{
	uint32_t unit = p->s->program->functions[f].unit;
	const struct ir_unit *u = scan_unit(p->s, f);
	const struct ir_instr *in;
	struct spot at;

	if (value < scan_function(p->s, f)->formal_count) {
		expand_formal(p, node, f, value);
		return;
	}
	in = definition(p, f, value);
	switch (in ? in->op : IR_OP_COUNT) {
	case IR_COPY: case IR_TO_INT: case IR_TO_PTR:
		flows_operand(p, f, unit, in->a, node);
		break;
	case IR_SELECT:
		flows_operand(p, f, unit, in->b, node);
		flows_operand(p, f, unit, in->c, node);
		break;
	case IR_PHI:
		for (uint32_t i = 0; i + 1 < in->size; i += 2)
			flows_operand(p, f, unit, u->extras[in->extra + i + 1], node);
		break;
	case IR_LOAD:
		if (spot_of(p, f, in->a, &at))
			flows(p, node_of(p, at), node);
		else
			put(p, node, IR_NO);
		break;
	case IR_CALL:
		expand_call(p, node, f, in);
		break;
	default:
		put(p, node, IR_NO);
	}
}

static void expand_result(struct pointers *p, uint32_t node, uint32_t f)
{
	const struct function_info *info = &p->s->functions[f];

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &scan_unit(p->s, f)->instrs[info->first_instr + i];

		if (in->op == IR_RET)
			flows_operand(p, f, p->s->program->functions[f].unit, in->a, node);
	}
}

static void expand_stored(struct pointers *p, uint32_t node, struct spot at)
{
	uint64_t key = spot_key(at);
	size_t lo = 0, hi = p->stores.count;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (p->stores.items[mid].where < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < p->stores.count && p->stores.items[lo].where == key; lo++)
		flows_operand(p, p->stores.items[lo].function, p->stores.items[lo].unit, p->stores.items[lo].value, node);
}

static void expand(struct pointers *p, uint32_t node)
{
	struct spot at = p->nodes.items[node].at;

	if (at.kind == NODE_VALUE)
		expand_value(p, node, at.a, at.b);
	else if (at.kind == NODE_RESULT)
		expand_result(p, node, at.a);
	else
		expand_stored(p, node, at);
}

/* ---- the program, once ------------------------------------------------------------------------------------------- */

static void note_store(struct pointers *p, struct spot at, uint32_t f, uint32_t unit, ir_operand value)
{
	VEC_PUSH(&p->stores, (struct store){ spot_key(at), f, unit, value });
}

static void note_globals(struct pointers *p)
{
	const struct linked *l = p->s->program;

	for (uint32_t g = 0; g < l->global_count; g++) {
		uint32_t unit = l->globals[g].unit;
		const struct ir_global *global = linked_global(l, g);

		for (uint32_t i = 0; i < global->init_count; i++) {
			const struct ir_init *init = &l->units[unit].inits[global->first_init + i];
			struct spot at = { NODE_GLOBAL, g, 0 };
			ir_operand base = init->value;

			if (ir_kind(base) == IR_K_CONST)
				base = l->units[unit].constants[ir_index(base)].base;
			if (ir_kind(base) != IR_K_FUNC)
				continue;
			if (!slot(p, unit, init->type, init->field, &at))
				slot_in_global(p, unit, global->type, (int64_t)init->offset, &at);
			note_store(p, at, IR_NO, unit, init->value);
		}
	}
}

static void note_function(struct pointers *p, uint32_t f, uint32_t *counts)
{
	const struct function_info *info = &p->s->functions[f];
	uint32_t unit = p->s->program->functions[f].unit;

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &scan_unit(p->s, f)->instrs[info->first_instr + i];
		struct spot at;

		if (in->op == IR_STORE && in->size == 8 && ir_kind(in->b) != IR_K_NULL && ir_kind(in->b) != IR_K_GLOBAL && spot_of(p, f, in->a, &at))
			note_store(p, at, f, unit, in->b);
		else if (in->op == IR_CALL && ir_kind(in->a) == IR_K_FUNC)
			counts[scan_callee(p->s, f, ir_index(in->a)) + 1]++;
	}
}

static int by_where(const void *x, const void *y)
{
	const struct store *a = x, *b = y;

	return (a->where > b->where) - (a->where < b->where);
}

static void note_direct(struct pointers *p)
{
	struct scan *s = p->s;

	for (uint32_t f = 0; f < s->function_count; f++)
		p->direct_first[f + 1] += p->direct_first[f];
	p->direct = calloc(p->direct_first[s->function_count] + 1, sizeof(*p->direct));
	if (!p->direct)
		BUG("out of memory");
	for (uint32_t f = 0; f < s->function_count; f++)
		for (uint32_t i = 0; s->functions[f].defined && i < s->functions[f].instr_count; i++) {
			const struct ir_instr *in = &scan_unit(s, f)->instrs[s->functions[f].first_instr + i];

			if (in->op == IR_CALL && ir_kind(in->a) == IR_K_FUNC)
				p->direct[p->direct_first[scan_callee(s, f, ir_index(in->a))]++] =
					(struct call_site){ .function = f, .instr = s->functions[f].first_instr + i };
		}
	for (uint32_t f = (uint32_t)s->function_count; f > 0; f--) /* filling has moved the starts on by one */
		p->direct_first[f] = p->direct_first[f - 1];
	p->direct_first[0] = 0;
}

static void note_pointer_calls(struct pointers *p)
{
	struct scan *s = p->s;

	for (uint32_t f = 0; f < s->function_count; f++)
		for (uint32_t i = 0; s->functions[f].defined && i < s->functions[f].instr_count; i++) {
			uint32_t instr = s->functions[f].first_instr + i, node;
			const struct ir_instr *in = &scan_unit(s, f)->instrs[instr], *def;
			struct call_site site;
			struct spot at;

			if (in->op != IR_CALL || ir_kind(in->a) != IR_K_VALUE)
				continue;
			node = node_of(p, (struct spot){ NODE_VALUE, f, ir_index(in->a) });
			site = (struct call_site){ f, instr, node, IR_NO, 0 };
			def = definition(p, f, ir_index(in->a));
			if (def && def->op == IR_LOAD && spot_of(p, f, def->a, &at) && at.kind == NODE_SLOT) {
				site.type = at.a;
				site.field = at.b;
			}
			VEC_PUSH(&p->sites, site);
			p->site_at[scan_site(s, f, instr)] = (uint32_t)p->sites.count;
			VEC_PUSH(&p->watches, (struct link){ (uint32_t)p->sites.count - 1, p->nodes.items[node].callers });
			p->nodes.items[node].callers = (uint32_t)p->watches.count;
		}
}

static void push(struct pointers *p)
{
	while (p->work.count) {
		struct link w = p->work.items[--p->work.count];

		if (w.to == UINT32_MAX - 1) {
			expand(p, w.next);
			continue;
		}
		for (uint32_t e = p->nodes.items[w.next].edges; e; e = p->edges.items[e - 1].next)
			put(p, p->edges.items[e - 1].to, w.to);
		for (uint32_t c = w.to == IR_NO ? 0 : p->nodes.items[w.next].callers; c; c = p->watches.items[c - 1].next)
			reaches(p, p->watches.items[c - 1].to, w.to);
	}
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

/* The answers by site, in the program's order; all else goes. */
static void settle(struct pointers *p)
{
	size_t total = 0;

	p->answer_first = calloc(p->sites.count + 2, sizeof(uint32_t));
	for (int pass = 0; pass < 2; pass++) {
		total = 0;
		for (size_t i = 0; i < p->sites.count; i++) {
			size_t from = total;

			if (pass)
				p->answer_first[i] = (uint32_t)total;
			for (uint32_t m = p->nodes.items[p->sites.items[i].node].set; m; m = p->members.items[m - 1].next, total++)
				if (pass)
					p->answers[total] = p->members.items[m - 1].to;
			if (pass)
				qsort(p->answers + from, total - from, sizeof(uint32_t), by_number);
		}
		if (!pass)
			p->answers = calloc(total + 1, sizeof(uint32_t));
		if (!p->answers || !p->answer_first)
			BUG("out of memory");
	}
	p->answer_first[p->sites.count] = (uint32_t)total;
}

static void scratch_free(struct pointers *p)
{
	for (size_t f = 0; f < p->s->function_count; f++)
		free(p->defs[f]);
	free(p->defs);
	VEC_FREE(&p->edges);
	VEC_FREE(&p->members);
	VEC_FREE(&p->watches);
	VEC_FREE(&p->visitors);
	VEC_FREE(&p->stores);
	VEC_FREE(&p->work);
	free(p->node_slots);
	free(p->pair_slots);
	free(p->direct_first);
	free(p->direct);
	free(p->visited_by);
}

void pointers_make(struct scan *s)
{
	struct pointers *p = calloc(1, sizeof(*p));

	if (!p)
		BUG("out of memory");
	s->pointers = p;
	p->s = s;
	p->defs = calloc(s->function_count + 1, sizeof(*p->defs));
	p->direct_first = calloc(s->function_count + 2, sizeof(uint32_t));
	p->visited_by = calloc(s->function_count + 1, sizeof(uint32_t));
	p->site_at = calloc(s->instr_count + 1, sizeof(uint32_t));
	if (!p->defs || !p->direct_first || !p->visited_by || !p->site_at)
		BUG("out of memory");
	note_globals(p);
	for (uint32_t f = 0; f < s->function_count; f++)
		if (s->functions[f].defined)
			note_function(p, f, p->direct_first);
	if (p->stores.count)
		qsort(p->stores.items, p->stores.count, sizeof(struct store), by_where);
	note_direct(p);
	note_pointer_calls(p);
	push(p);
	settle(p);
	scratch_free(p);
}

void pointers_free(struct scan *s)
{
	struct pointers *p = s->pointers;

	if (!p)
		return;
	VEC_FREE(&p->nodes);
	VEC_FREE(&p->sites);
	free(p->site_at);
	free(p->answer_first);
	free(p->answers);
	free(p);
	s->pointers = NULL;
}

bool pointers_targets(const struct scan *s, uint32_t f, const struct ir_instr *in, struct pointer_targets *out)
{
	const struct pointers *p = s->pointers;
	uint32_t site = p ? p->site_at[scan_site(s, f, (uint32_t)(in - scan_unit(s, f)->instrs))] : 0;

	*out = (struct pointer_targets){ .type = IR_NO };
	if (!site)
		return false;
	out->functions = p->answers + p->answer_first[site - 1];
	out->count = p->answer_first[site] - p->answer_first[site - 1];
	out->type = p->sites.items[site - 1].type;
	out->field = p->sites.items[site - 1].field;
	return !p->nodes.items[p->sites.items[site - 1].node].open;
}
