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
 * I5  What one instruction unifies depends on which of its values have a class already and on the functions in
 *     them, so functions are looked at again: those where that is known to have changed (due) until none is left,
 *     then all, until a round over all of them changes nothing. Only that last round is what makes it whole.
 * I6  String literals and other constants without addresses in them are in no class: passed around
 *     everywhere, they would lay over each other all that is ever passed where they are.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/points_to.h"

/*
 * Nothing is ever written there and no pointer is read from there, as in a string literal: no race is on it
 * and nothing is reached through it. Its address is followed as a null pointer is: not at all (I6).
 */
static bool is_inert(const struct ir_global *global)
{
	return global->flags & IR_G_CONSTANT && !global->init_count && global->linkage != IR_DECLARED;
}

static void visit_globals(struct points_to *p)
{
	const struct linked *l = p->s->program;

	for (size_t g = 0; g < l->global_count; g++)
		if (!is_inert(linked_global(l, (uint32_t)g)))
			p->globals[g] = class_object(p);
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
				to = cell_of_function(p, l->function_of[l->globals[g].unit][ir_index(o)]);
			if (!to.node)
				continue;
			to.off += off;
			at.off = (int64_t)init->offset;
			class_unify(p, class_content(p, at, false), to);
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
				const struct node *n = &p->nodes.items[class_root(p, cell_of_value(p, f, in->dst)).node];

				if (!n->objects && !n->self && !n->function_count && n->field_count)
					assume(s, ASSUME_CAST, false, f, in, "an integer becomes a pointer, and where it comes from is not followed");
			}
			if (in->op == IR_CALL && ir_kind(in->a) == IR_K_FUNC) {
				uint32_t callee = scan_called(s, f, in);

				if (s->functions[callee].defined && scan_function(s, callee)->variadic && p->varargs[callee].node &&
				    p->nodes.items[class_root(p, p->varargs[callee]).node].objects)
					assume(s, ASSUME_CAST, false, f, in, "pointers passed in \"...\" to %s are not followed",
					       ir_string(scan_unit(s, callee), scan_function(s, callee)->display));
			}
		}
	}
}

/* ---- rounds ------------------------------------------------------------------------------------------------ */

#define ROUNDS 20 /* over everything: the kernel takes three */

static bool takes_function(const struct model *m)
{
	for (; m; m = m->next)
		if (m->entry >= 0)
			return true;
	return false;
}

static void note_pointer_callers(struct points_to *p)
{
	struct scan *s = p->s;

	for (uint32_t f = 0; f < s->function_count; f++)
		for (uint32_t i = 0; s->functions[f].defined && i < s->functions[f].instr_count; i++) {
			const struct ir_instr *in = &scan_unit(s, f)->instrs[s->functions[f].first_instr + i];

			if (in->op == IR_CALL && (ir_kind(in->a) != IR_K_FUNC || takes_function(s->functions[scan_callee(s, f, ir_index(in->a))].model))) {
				VEC_PUSH(&p->pointer_callers, f);
				break;
			}
		}
}

static void visit_again(struct points_to *p, uint32_t f)
{
	const struct function_info *info = &p->s->functions[f];

	p->due[f] = false;
	visit_define(p, f);
	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &scan_unit(p->s, f)->instrs[info->first_instr + i];

		switch (in->op) {
		case IR_CALL: case IR_PHI: case IR_SELECT: case IR_COPY: case IR_LOAD: case IR_ARITH: case IR_STORE:
		case IR_EXTRACT: case IR_OPAQUE: case IR_RET: case IR_ASM: case IR_MEMCPY:
			visit_instr(p, f, in);
		}
	}
}

static void visit_due(struct points_to *p)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; p->more_functions && i < p->pointer_callers.count; i++)
			p->due[p->pointer_callers.items[i]] = true;
		p->more_functions = false;
		for (uint32_t f = 0; f < p->s->function_count; f++)
			if (p->due[f] && p->s->functions[f].defined) {
				again = true;
				visit_again(p, f);
			}
	}
}

/* Values that got a class late (phis, copies of integers), calls through pointers: until nothing moves. */
static void come_to_rest(struct points_to *p)
{
	note_pointer_callers(p);
	for (int round = 0; round < ROUNDS; round++) {
		visit_due(p);
		p->changed = false;
		for (uint32_t f = 0; f < p->s->function_count; f++)
			if (p->s->functions[f].defined)
				visit_again(p, f);
		if (!p->changed)
			return;
	}
	assume(p->s, ASSUME_BUDGET, false, IR_NO, NULL, "points-to did not come to rest after %d rounds", ROUNDS);
}

int points_to(struct scan *s)
{
	struct points_to *p = calloc(1, sizeof(*p));

	if (!p)
		BUG("out of memory");
	s->points_to = p;
	p->s = s;
	p->due = calloc(s->function_count + 1, sizeof(*p->due));
	p->idle = calloc(s->instr_count + 1, sizeof(*p->idle));
	p->values = calloc(s->value_count + 1, sizeof(*p->values));
	p->globals = calloc(s->program->global_count + 1, sizeof(*p->globals));
	p->functions = calloc(s->function_count + 1, sizeof(*p->functions));
	p->varargs = calloc(s->function_count + 1, sizeof(*p->varargs));
	if (!p->due || !p->idle || !p->values || !p->globals || !p->functions || !p->varargs)
		BUG("out of memory");
	class_fresh(p); /* node 0: nothing */
	visit_globals(p);
	for (uint32_t f = 0; f < s->function_count; f++)
		if (s->functions[f].defined)
			visit_function(p, f);
	if (s->options->kernel)
		points_to_handlers(p);
	come_to_rest(p);
	casts(p);
	for (uint32_t n = 1; n < p->nodes.count; n++) /* flat: from now on read only, by several workers */
		class_root(p, (struct cell){ n, 0 });
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
	VEC_FREE(&p->pointer_callers);
	free(p->due);
	free(p->idle);
	free(p->values);
	free(p->globals);
	free(p->functions);
	free(p->varargs);
	free(p->def);
	free(p->cast);
	free(p);
	s->points_to = NULL;
}
