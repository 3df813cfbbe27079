/*
 * points_to_calls - what a call unifies: formals with actuals, by name, through a pointer, by a model,
 * or, if nobody knows what it does, everything it was given.
 *
 * A class's list of functions grows while it is walked: it is looked up again at each step.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/points_to.h"

static void bind_formal(struct points_to *p, uint32_t callee, uint32_t i, struct cell c)
{
	const struct ir_function *function = scan_function(p->s, callee);

	if (!c.node)
		return;
	if (i < function->formal_count)
		class_unify(p, cell_of_value(p, callee, i), c);
	else if (function->variadic) {
		if (!p->varargs[callee].node)
			p->varargs[callee] = class_fresh(p);
		class_unify(p, p->varargs[callee], c);
	}
}

/* The cell of a function's result is kept in the value after its last: see value_base. */
struct cell cell_of_result(struct points_to *p, uint32_t f)
{
	return cell_of_value(p, f, scan_function(p->s, f)->value_count);
}

static void bind_call(struct points_to *p, uint32_t f, const struct ir_instr *in, uint32_t callee)
{
	const struct ir_unit *unit = scan_unit(p->s, f);

	for (uint32_t i = 0; i < in->size; i++)
		bind_formal(p, callee, i, cell_of_operand(p, f, unit->extras[in->extra + i], ir_kind(unit->extras[in->extra + i]) == IR_K_VALUE));
	if (in->dst != IR_NO)
		class_unify(p, cell_of_value(p, f, in->dst), cell_of_result(p, callee));
}

/* Functions an operand may be: itself, or those of its class. */
static size_t functions_of(struct points_to *p, struct cell c, const uint32_t **list)
{
	c = class_find(p, c);
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
	return cell_of_operand(p, f, unit->extras[in->extra + (uint32_t)i], true);
}

static struct cell fixed_cell(struct points_to *p, const char *name)
{
	uint32_t at = 0;

	for (const char *c = name; c && *c; c++)
		at = at * 31 + (unsigned char)*c;
	at %= 64;
	if (!p->fixed[at].node)
		p->fixed[at] = class_object(p);
	return p->fixed[at];
}

static void entry_call(struct points_to *p, uint32_t f, const struct ir_instr *in, const struct model *m, bool anything)
{
	struct cell c = argument(p, f, in, m->entry);
	const uint32_t *list;
	size_t count;

	if (m->entry_indirect && c.node) {
		c.off += m->entry_offset;
		c = class_content(p, c, false);
	}
	count = functions_of(p, c, &list);
	for (size_t i = 0; i < count; i++) {
		uint32_t callee = functions_of(p, c, &list) > i ? list[i] : 0;

		if (anything) {
			for (uint32_t j = 0; j < scan_function(p->s, callee)->formal_count; j++)
				for (uint32_t k = 0; k < in->size && k < 31; k++)
					if (m->passes >> k & 1) { /* any element of it */
						class_collapse(p, argument(p, f, in, (int)k));
						bind_formal(p, callee, j, argument(p, f, in, (int)k));
					}
		} else if (m->argument >= 0)
			bind_formal(p, callee, (uint32_t)m->argument_as, argument(p, f, in, m->argument));
	}
}

static void apply_model(struct points_to *p, uint32_t f, const struct ir_instr *in, const struct model *m)
{
	struct cell result = in->dst != IR_NO ? cell_of_value(p, f, in->dst) : (struct cell){ 0, 0 };
	struct cell to, from;

	if (m->entry >= 0)
		entry_call(p, f, in, m, m->kind == MODEL_CALLS);
	if (m->returns >= 0) {
		from = argument(p, f, in, m->returns);
		class_collapse(p, from);
		class_unify(p, result, from);
	}
	if (m->returns_static)
		class_unify(p, result, fixed_cell(p, m->fixed));
	if (m->kind == MODEL_GET_OWN || m->kind == MODEL_SET_OWN) { /* one class for all slots */
		struct cell slot = fixed_cell(p, "pthread_setspecific");

		class_unify(p, class_content(p, slot, true), m->kind == MODEL_GET_OWN ? result : argument(p, f, in, m->argument));
	}
	if (m->copy_from >= 0) {
		from = argument(p, f, in, m->copy_from);
		to = m->copy_to == -2 ? result : argument(p, f, in, m->copy_to);
		if (m->kind == MODEL_FREE)
			class_unify(p, to, from);
		else if (to.node && from.node)
			class_unify(p, class_content(p, to, true), class_content(p, from, false));
	}
	for (uint32_t i = 0; m->reaches && i < in->size && i < 31; i++) { /* pointers in it move on: no layout behind them */
		struct cell c = m->reaches >> i & 1 ? argument(p, f, in, (int)i) : (struct cell){ 0, 0 };

		for (uint32_t j = 0; c.node && j < p->nodes.items[class_root(p, c).node].field_count; j++)
			class_collapse(p, p->nodes.items[class_root(p, c).node].fields[j].to);
	}
	if (m->keeps) {
		struct cell kept = class_content(p, fixed_cell(p, "kept"), true);

		for (uint32_t i = 0; i < in->size && i < 31; i++)
			if (m->keeps >> i & 1)
				class_unify(p, kept, argument(p, f, in, (int)i));
	}
	if (m->kind == MODEL_ALLOC && result.node) {
		p->nodes.items[class_root(p, result).node].objects++;
	}
}

/* Nobody knows what it does: what its arguments reach is one class, and the result is of it. */
static void unknown_call(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	struct cell all = in->dst != IR_NO ? cell_of_value(p, f, in->dst) : (struct cell){ 0, 0 };

	for (uint32_t i = 0; i < in->size; i++) {
		ir_operand o = scan_unit(p->s, f)->extras[in->extra + i];
		struct cell c = cell_of_operand(p, f, o, false);

		if (!c.node)
			continue;
		if (all.node)
			class_unify(p, all, c);
		all = c;
		class_self(p, class_root(p, c).node);
		class_unify(p, c, c);
	}
}

static void call_target(struct points_to *p, uint32_t f, const struct ir_instr *in, uint32_t callee)
{
	if (p->s->functions[callee].defined)
		bind_call(p, f, in, callee);
	else if (p->s->functions[callee].model)
		for (const struct model *m = p->s->functions[callee].model; m; m = m->next)
			apply_model(p, f, in, m);
	else
		unknown_call(p, f, in);
}

/*
 * Functions of the class with the call's signature, unless they are too many. The class that holds everything holds
 * most functions, too: what gave nothing is not gone through again before it has grown.
 */
static void class_targets(struct points_to *p, uint32_t f, const struct ir_instr *in, uint64_t signature)
{
	struct cell c = class_find(p, cell_of_operand(p, f, in->a, true));
	struct idle_call *idle = &p->idle[scan_site(p->s, f, (uint32_t)(in - scan_unit(p->s, f)->instrs))];
	const uint32_t *list;
	size_t count = functions_of(p, c, &list), fit = 0;

	if (idle->node == c.node && idle->count == count)
		return;
	for (size_t i = 0; i < count && fit < TARGETS_MAX; i++)
		fit += p->s->functions[list[i]].signature == signature;
	if (!fit || fit == TARGETS_MAX)
		*idle = (struct idle_call){ c.node, (uint32_t)count };
	for (size_t i = 0; i < count && fit && fit < TARGETS_MAX; i++) {
		functions_of(p, cell_of_operand(p, f, in->a, true), &list);
		if (p->s->functions[list[i]].signature == signature)
			call_target(p, f, in, list[i]);
	}
}

/* In a kernel: the functions calls.c will take, in its words and within its limit. */
static void kernel_call(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	uint64_t signature = calls_signature(scan_unit(p->s, f), in->type);
	struct pointer_targets flow;
	bool whole = pointers_targets(p->s, f, in, &flow);
	size_t flow_fit = 0;

	for (size_t i = 0; i < flow.count; i++)
		flow_fit += p->s->functions[flow.functions[i]].signature == signature;
	for (size_t i = 0; i < flow.count; i++)
		if (!flow_fit || p->s->functions[flow.functions[i]].signature == signature)
			call_target(p, f, in, flow.functions[i]);
	if (!whole)
		class_targets(p, f, in, signature);
}

void visit_call(struct points_to *p, uint32_t f, const struct ir_instr *in, bool first)
{
	const uint32_t *list;
	size_t count;

	if (ir_kind(in->a) == IR_K_FUNC) {
		uint32_t callee = scan_called(p->s, f, in);
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
	if (p->s->pointers) {
		kernel_call(p, f, in);
		return;
	}
	count = functions_of(p, cell_of_operand(p, f, in->a, true), &list);
	for (size_t i = 0; i < count; i++) {
		functions_of(p, cell_of_operand(p, f, in->a, true), &list);
		call_target(p, f, in, list[i]);
	}
}
