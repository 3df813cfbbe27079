/*
 * symbolic - every SSA value of one function as a path. SSA and mem2reg give the paper's symbolic
 * execution almost for nothing: locals that no pointer leads to are values already.
 *
 * I1  One pass in reverse postorder; a phi takes a path only if all its ways that are known agree
 *     (a null pointer agrees with everything: through it nothing is accessed). Else it is a value
 *     of its own, whose class is that of points_to.
 */
#include <string.h>

#include "find/scan/intern.h"

static path_id constant(struct work *w, const struct ir_constant *c)
{
	path_id base;

	switch (ir_kind(c->base)) {
	case IR_K_GLOBAL:
		base = path_plain(w->s, PATH_GLOBAL, w->s->program->global_of[w->s->program->functions[w->f].unit][ir_index(c->base)], 0);
		return path_field(w->s, base, c->value);
	case IR_K_FUNC:
		return path_plain(w->s, PATH_FUNCTION, scan_callee(w->s, w->f, ir_index(c->base)), 0);
	default:
		return path_int(w->s, c->value);
	}
}

path_id symbolic_operand(struct work *w, ir_operand o)
{
	switch (ir_kind(o)) {
	case IR_K_VALUE:
		if (w->values[ir_index(o)])
			return w->values[ir_index(o)];
		return path_plain(w->s, PATH_VALUE, w->f, ir_index(o));
	case IR_K_GLOBAL:
		return path_plain(w->s, PATH_GLOBAL, w->s->program->global_of[w->s->program->functions[w->f].unit][ir_index(o)], 0);
	case IR_K_FUNC:
		return path_plain(w->s, PATH_FUNCTION, scan_callee(w->s, w->f, ir_index(o)), 0);
	case IR_K_CONST:
		return constant(w, &w->unit->constants[ir_index(o)]);
	default:
		return path_int(w->s, 0);
	}
}

static bool is_null(const struct work *w, ir_operand o)
{
	if (ir_kind(o) == IR_K_NULL || ir_kind(o) == IR_K_NONE)
		return true;
	return false;
}

static path_id phi(struct work *w, const struct ir_instr *in)
{
	path_id self = path_plain(w->s, PATH_VALUE, w->f, in->dst), common = 0;

	for (uint32_t i = 0; i + 1 < in->size; i += 2) {
		ir_operand o = w->unit->extras[in->extra + i + 1];
		path_id p;

		if (is_null(w, o))
			continue;
		if (ir_kind(o) == IR_K_VALUE && !w->values[ir_index(o)])
			return self; /* a loop: comes later */
		p = symbolic_operand(w, o);
		if (p == self)
			continue;
		if (common && p != common)
			return self;
		common = p;
	}
	return common && path_at(w->s, common)->kind != PATH_INT ? common : self;
}

static path_id call_result(struct work *w, const struct ir_instr *in)
{
	struct scan *s = w->s;
	struct call_target targets[4];
	path_id self = path_plain(s, PATH_VALUE, w->f, in->dst);
	const struct function_info *callee;
	size_t count = calls_resolve(s, w->f, in, targets, 4);

	if (count != 1)
		return self;
	callee = &s->functions[targets[0].function];
	if (callee->defined && callee->summary.result && callee->scc != s->functions[w->f].scc) {
		path_id actuals[32];
		struct rebind r = { .callee = targets[0].function, .formal_count = scan_function(s, targets[0].function)->formal_count,
				    .actuals = actuals, .wrap_f = w->f, .wrap_v = in->dst, .parent = IR_NO };

		for (uint32_t i = 0; i < in->size && i < 32; i++)
			actuals[r.actual_count++] = symbolic_operand(w, w->unit->extras[in->extra + i]);
		return path_rebind(s, callee->summary.result, &r);
	}
	for (const struct model *m = callee->model; m; m = m->next) {
		if (m->kind == MODEL_ALLOC || (m->kind == MODEL_FREE && m->copy_to == -2))
			return path_plain(s, PATH_HEAP, w->f, in->dst);
		if (m->kind == MODEL_THREAD_LOCAL || m->kind == MODEL_GET_OWN)
			return path_plain(s, PATH_OWN, w->f, in->dst);
		if (m->returns_static)
			return path_fixed(s, m->fixed);
	}
	return self;
}

static path_id value_of(struct work *w, const struct ir_instr *in)
{
	struct scan *s = w->s;
	path_id base, self = path_plain(s, PATH_VALUE, w->f, in->dst);

	switch (in->op) {
	case IR_ALLOCA:
		base = path_plain(s, PATH_STACK, w->f, in->dst);
		if (in->type != IR_NO)
			path_hint(s, base, s->program->type_of[s->program->functions[w->f].unit][in->type]);
		return base;
	case IR_LOAD:
		return path_load(s, symbolic_operand(w, in->a), w->f, in->dst);
	case IR_FIELD:
	case IR_INDEX:
		base = symbolic_operand(w, in->a);
		if (in->op == IR_FIELD && in->type != IR_NO) {
			const struct ir_type *t = &w->unit->types[in->type];

			if (in->field < t->field_count && (int64_t)w->unit->fields[t->first_field + in->field].offset == in->imm)
				path_hint(s, base, s->program->type_of[s->program->functions[w->f].unit][in->type]);
		}
		if (in->op == IR_INDEX)
			base = path_index(s, base, in->size, symbolic_operand(w, in->b));
		return path_field(s, base, in->imm);
	case IR_COPY:
		if (in->sub == IR_COPY_TRUNC && in->size < 4)
			return self; /* 0 and 256 become one */
		return symbolic_operand(w, in->a);
	case IR_TO_INT: case IR_TO_PTR:
		return symbolic_operand(w, in->a);
	case IR_PHI:
		return phi(w, in);
	case IR_SELECT:
		if (is_null(w, in->b) || symbolic_operand(w, in->b) == symbolic_operand(w, in->c))
			return symbolic_operand(w, in->c);
		return is_null(w, in->c) ? symbolic_operand(w, in->b) : self;
	case IR_CALL:
		return call_result(w, in);
	default:
		return self;
	}
}

void symbolic_run(struct work *w)
{
	for (uint32_t v = 0; v < w->function->formal_count; v++)
		w->values[v] = path_plain(w->s, PATH_VALUE, w->f, v);
	for (uint32_t i = 0; i < w->rpo_count; i++) {
		const struct ir_block *block = &w->unit->blocks[w->function->first_block + w->rpo[i]];

		for (uint32_t j = 0; j < block->count; j++) {
			const struct ir_instr *in = &w->unit->instrs[block->first + j];

			if (in->dst != IR_NO)
				w->values[in->dst] = value_of(w, in);
		}
	}
}
