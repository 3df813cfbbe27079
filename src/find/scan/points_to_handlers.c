/*
 * points_to_handlers - what the handlers of a kernel are given. Nobody calls them by name, so their
 * formals would alias nothing, and a race between two handlers of one driver would be lost silently. RELAY
 * lets formals of one type share a representative object; here that is narrower, and grows with the
 * drivers instead of with the kernel:
 *
 *   - functions in one table of operations (one initialised global) may get the same objects: their formals
 *     that are used as pointers to the same struct may be equal;
 *   - a function stored in a field whose model says `self` (work, timers) gets the struct that holds it.
 *
 * What an interrupt handler gets is said where it is requested (models: arg N as K).
 *
 * Decided against one representative for each type: every struct device of a kernel would be one class.
 */
#include "find/scan/points_to.h"

#define FORMALS 8  /* looked at; handlers have fewer */

/* The struct that formal i of f is used as a pointer to: the program's type, or IR_NO. */
static uint32_t formal_type(const struct scan *s, uint32_t f, uint32_t i)
{
	const struct function_info *info = &s->functions[f];
	const struct ir_unit *unit = scan_unit(s, f);

	for (uint32_t k = 0; k < info->instr_count; k++) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + k];

		if (in->op == IR_FIELD && in->type != IR_NO && ir_kind(in->a) == IR_K_VALUE && ir_index(in->a) == i)
			return s->program->type_of[s->program->functions[f].unit][in->type];
	}
	return IR_NO;
}

struct given {
	uint32_t type;
	struct cell cell;
};

/* Formals of one more function of the table: with those of the same type so far, or the first. */
static void share_formals(struct points_to *p, uint32_t f, struct given *given, size_t *count, size_t max)
{
	uint32_t formals = scan_function(p->s, f)->formal_count;

	for (uint32_t i = 0; i < formals && i < FORMALS; i++) {
		uint32_t type = formal_type(p->s, f, i);
		size_t at = 0;

		while (type != IR_NO && at < *count && given[at].type != type)
			at++;
		if (type == IR_NO)
			continue;
		if (at < *count)
			class_unify(p, given[at].cell, cell_of_value(p, f, i));
		else if (*count < max)
			given[(*count)++] = (struct given){ type, cell_of_value(p, f, i) };
	}
}

static void table(struct points_to *p, uint32_t g)
{
	const struct linked_symbol *symbol = &p->s->program->globals[g];
	const struct ir_unit *unit = &p->s->program->units[symbol->unit];
	const struct ir_global *global = linked_global(p->s->program, g);
	struct given given[32];
	size_t count = 0;

	for (uint32_t i = 0; i < global->init_count; i++) {
		const struct ir_init *init = &unit->inits[global->first_init + i];
		uint32_t f;

		if (ir_kind(init->value) != IR_K_FUNC)
			continue;
		f = p->s->program->function_of[symbol->unit][ir_index(init->value)];
		if (p->s->functions[f].defined)
			share_formals(p, f, given, &count, 32);
	}
}

static bool gets_self(const struct scan *s, const struct ir_unit *unit, const struct ir_instr *field)
{
	const struct ir_type *type;
	const struct model *m;

	if (!field || field->op != IR_FIELD || field->type == IR_NO)
		return false;
	type = &unit->types[field->type];
	if (field->field >= type->field_count)
		return false;
	m = models_find_field(s->models, ir_string(unit, type->name), ir_string(unit, unit->fields[type->first_field + field->field].name));
	return m && m->self;
}

/* work->func = function: it gets the work. */
static void stored(struct points_to *p, uint32_t f)
{
	const struct function_info *info = &p->s->functions[f];
	const struct ir_unit *unit = scan_unit(p->s, f);

	visit_define(p, f);
	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i], *field;
		uint32_t handler;

		if (in->op != IR_STORE || ir_kind(in->b) != IR_K_FUNC || ir_kind(in->a) != IR_K_VALUE)
			continue;
		field = p->def[ir_index(in->a)];
		handler = scan_callee(p->s, f, ir_index(in->b));
		if (p->s->functions[handler].defined && scan_function(p->s, handler)->formal_count && gets_self(p->s, unit, field))
			class_unify(p, cell_of_value(p, handler, 0), cell_of_operand(p, f, field->a, true));
	}
}

void points_to_handlers(struct points_to *p)
{
	for (uint32_t g = 0; g < p->s->program->global_count; g++)
		if (!p->s->program->globals[g].external)
			table(p, g);
	for (uint32_t f = 0; f < p->s->function_count; f++)
		if (p->s->functions[f].defined)
			stored(p, f);
}
