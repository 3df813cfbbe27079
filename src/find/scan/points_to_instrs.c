/*
 * points_to_instrs - what each instruction unifies: operands, arrays, loads and stores.
 *
 * Integers get a class only if they become pointers somewhere; the rounds of points_to.c come back
 * for those that got theirs late.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/points_to.h"

/* ---- operands -------------------------------------------------------------------------------------------------- */

struct cell cell_of_value(struct points_to *p, uint32_t f, uint32_t v)
{
	struct cell *c = &p->values[p->s->functions[f].value_base + v];

	if (!c->node) {
		*c = class_fresh(p);
		p->due[f] = true;
	}
	return *c;
}

struct cell cell_of_function(struct points_to *p, uint32_t f)
{
	if (!p->functions[f].node) {
		p->functions[f] = class_fresh(p);
		class_function(p, p->functions[f].node, f);
	}
	return p->functions[f];
}

/* none: a number. Values get a cell only if make. */
struct cell cell_of_operand(struct points_to *p, uint32_t f, ir_operand o, bool make)
{
	const struct scan *s = p->s;
	uint32_t unit = s->program->functions[f].unit;
	const struct ir_constant *c;
	struct cell cell = { 0, 0 };

	switch (ir_kind(o)) {
	case IR_K_VALUE:
		return make ? cell_of_value(p, f, ir_index(o)) : p->values[s->functions[f].value_base + ir_index(o)];
	case IR_K_GLOBAL:
		return p->globals[s->program->global_of[unit][ir_index(o)]];
	case IR_K_FUNC:
		return cell_of_function(p, s->program->function_of[unit][ir_index(o)]);
	case IR_K_CONST:
		c = &s->program->units[unit].constants[ir_index(o)];
		if (ir_kind(c->base) == IR_K_GLOBAL || ir_kind(c->base) == IR_K_FUNC) {
			cell = cell_of_operand(p, f, c->base, true);
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
	c = cell_of_operand(p, f, from, ir_kind(from) == IR_K_VALUE);
	if (c.node)
		class_unify(p, cell_of_value(p, f, dst), c);
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
	struct cell c = class_root(p, base);
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
		class_region(p, c.node, (struct region){ start, end, in->size });
	else
		class_modulus(p, c.node, in->size ? in->size : 1);
	class_unify(p, base, base); /* works off what is pending */
}

/* ---- instructions -------------------------------------------------------------------------------------------------------- */

/* Each value once: code like a hash function's uses its values over and over. */
static bool from_int_cast(struct points_to *p, ir_operand o)
{
	const struct ir_instr *def = ir_kind(o) == IR_K_VALUE ? p->def[ir_index(o)] : NULL;
	uint8_t *known;

	if (!def || (def->op != IR_TO_INT && def->op != IR_ARITH))
		return false;
	known = &p->cast[ir_index(o)];
	if (!*known)
		*known = def->op == IR_TO_INT || from_int_cast(p, def->a) || from_int_cast(p, def->b) ? 2 : 1;
	return *known == 2;
}

static void to_pointer(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	assign(p, f, in->dst, in->a);
}

static void load(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	struct cell at = cell_of_operand(p, f, in->a, true);

	if (in->dst == IR_NO || !at.node)
		return;
	if (in->flags & IR_F_POINTER || p->values[p->s->functions[f].value_base + in->dst].node)
		class_unify(p, cell_of_value(p, f, in->dst), class_content(p, at, false));
}

static void store(struct points_to *p, uint32_t f, const struct ir_instr *in, ir_operand from)
{
	struct cell at = cell_of_operand(p, f, in->a, true), c;
	bool pointer = in->flags & IR_F_POINTER || from_int_cast(p, from);

	if (!at.node)
		return;
	c = cell_of_operand(p, f, from, pointer && ir_kind(from) == IR_K_VALUE);
	if (c.node && (pointer || in->size == 8 || !in->size))
		class_unify(p, class_content(p, at, true), c);
	else if (in->size == 8 && ir_kind(from) != IR_K_NULL) {
		struct cell where = class_find(p, at);
		struct field *field = class_field(p, where.node, where.off, true);

		field->stored = true;
	}
}

/*
 * va_start: the list holds pointers to where the arguments lie, and there they are. Not the list laid over
 * what the arguments point to: that would make one object of all that is ever printed.
 */
static void start_varargs(struct points_to *p, uint32_t f, struct cell list)
{
	struct cell area;

	class_collapse(p, list);
	area = class_content(p, list, false);
	class_collapse(p, area);
	class_unify(p, class_content(p, area, false), p->varargs[f]);
}

static void opaque(struct points_to *p, uint32_t f, const struct ir_instr *in, uint32_t step)
{
	const struct ir_unit *unit = scan_unit(p->s, f);
	struct cell all = { 0, 0 };

	for (uint32_t i = 0; i + step <= in->size; i += step) {
		struct cell c = cell_of_operand(p, f, unit->extras[in->extra + i], false);

		if (!c.node)
			continue;
		if (all.node)
			class_unify(p, all, c);
		all = c;
	}
	if (p->varargs[f].node && in->op == IR_OPAQUE && all.node)
		start_varargs(p, f, all);
	if (all.node && in->dst != IR_NO)
		class_unify(p, cell_of_value(p, f, in->dst), all);
}

/*
 * Bytes are copied: what pointers in one object lead to, those in the other lead to. The objects stay two.
 * Pointers that are stored in either later are met in the next round. In a kernel rounds are dear: one object.
 */
static void copy_bytes(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	struct cell to = cell_of_operand(p, f, in->a, true), from = cell_of_operand(p, f, in->c, true);

	if (!to.node || !from.node)
		return;
	if (p->s->options->kernel)
		class_unify(p, to, from);
	p->nodes.items[class_root(p, to).node].copied = true;
	for (int way = 0; way < 2; way++) {
		struct cell a = class_find(p, way ? to : from), b = class_find(p, way ? from : to);

		for (uint32_t i = 0; a.node != b.node && i < p->nodes.items[a.node].field_count; i++) {
			struct field field = p->nodes.items[a.node].fields[i];
			bool inside = p->nodes.items[a.node].modulus || p->nodes.items[a.node].region_count || in->imm <= 0 || (field.off >= a.off && field.off < a.off + in->imm);

			if (!inside)
				continue;
			class_unify(p, class_content(p, (struct cell){ b.node, b.off + field.off - a.off }, false), field.to);
			a = class_find(p, a); /* that may have merged the two, or moved their fields */
			b = class_find(p, b);
		}
	}
}

void visit_instr(struct points_to *p, uint32_t f, const struct ir_instr *in)
{
	const struct ir_unit *unit = scan_unit(p->s, f);
	struct cell base, to;

	switch (in->op) {
	case IR_ALLOCA:
		to = cell_of_value(p, f, in->dst);
		p->nodes.items[class_root(p, to).node].objects++;
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
		base = cell_of_operand(p, f, in->a, true);
		if (!base.node)
			break;
		if (in->op == IR_INDEX)
			index_region(p, f, in, base);
		base.off += in->imm;
		class_unify(p, cell_of_value(p, f, in->dst), base);
		break;
	case IR_TO_PTR: to_pointer(p, f, in); break;
	case IR_COPY: case IR_TO_INT: case IR_EXTRACT:
		if (in->op == IR_TO_INT || (ir_kind(in->a) == IR_K_VALUE && p->values[p->s->functions[f].value_base + ir_index(in->a)].node) ||
		    p->values[p->s->functions[f].value_base + in->dst].node)
			assign(p, f, in->dst, in->a);
		break;
	case IR_SELECT:
		if (cell_of_operand(p, f, in->b, false).node || cell_of_operand(p, f, in->c, false).node || p->values[p->s->functions[f].value_base + in->dst].node) {
			assign(p, f, in->dst, in->b);
			assign(p, f, in->dst, in->c);
		}
		break;
	case IR_PHI: {
		bool any = p->values[p->s->functions[f].value_base + in->dst].node;

		for (uint32_t i = 0; i + 1 < in->size; i += 2)
			any |= cell_of_operand(p, f, unit->extras[in->extra + i + 1], false).node != 0;
		for (uint32_t i = 0; any && i + 1 < in->size; i += 2)
			assign(p, f, in->dst, unit->extras[in->extra + i + 1]);
		break;
	}
	case IR_ARITH: /* pointers computed as integers: any offset */
		if (in->sub != IR_A_ADD && in->sub != IR_A_SUB && in->sub != IR_A_AND && in->sub != IR_A_OR)
			break;
		base = cell_of_operand(p, f, in->a, false);
		to = in->sub == IR_A_SUB ? (struct cell){ 0, 0 } : cell_of_operand(p, f, in->b, false);
		if (!base.node && !to.node)
			break;
		if (in->sub == IR_A_SUB && cell_of_operand(p, f, in->b, false).node)
			break; /* a distance */
		class_collapse(p, base);
		class_collapse(p, to);
		if (base.node)
			class_unify(p, cell_of_value(p, f, in->dst), base);
		if (to.node)
			class_unify(p, cell_of_value(p, f, in->dst), to);
		break;
	case IR_CALL: visit_call(p, f, in, true); break;
	case IR_ASM: opaque(p, f, in, 2); break;
	case IR_OPAQUE: opaque(p, f, in, 1); break;
	case IR_MEMCPY: copy_bytes(p, f, in); break;
	case IR_RET:
		base = cell_of_operand(p, f, in->a, ir_kind(in->a) == IR_K_VALUE && in->flags & IR_F_POINTER);
		if (base.node)
			class_unify(p, cell_of_result(p, f), base);
		break;
	default:
		break;
	}
}

void visit_define(struct points_to *p, uint32_t f)
{
	const struct function_info *info = &p->s->functions[f];
	const struct ir_unit *unit = scan_unit(p->s, f);
	uint32_t count = scan_function(p->s, f)->value_count + 1;

	if (count > p->def_size) {
		p->def_size = count * 2;
		p->def = realloc(p->def, p->def_size * sizeof(*p->def));
		p->cast = realloc(p->cast, p->def_size);
		if (!p->def || !p->cast)
			BUG("out of memory");
	}
	memset(p->def, 0, count * sizeof(*p->def));
	memset(p->cast, 0, count);
	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i];

		if (in->dst != IR_NO)
			p->def[in->dst] = in;
	}
}

void visit_function(struct points_to *p, uint32_t f)
{
	const struct function_info *info = &p->s->functions[f];
	const struct ir_unit *unit = scan_unit(p->s, f);

	visit_define(p, f);
	/* Integers that become pointers: give them a class first, so that loads and stores follow them. */
	for (uint32_t i = info->instr_count; i-- > 0;) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i];

		if (in->op == IR_TO_PTR && ir_kind(in->a) == IR_K_VALUE)
			cell_of_value(p, f, ir_index(in->a));
		if ((in->op == IR_COPY || in->op == IR_ARITH) && p->values[info->value_base + in->dst].node) {
			if (ir_kind(in->a) == IR_K_VALUE)
				cell_of_value(p, f, ir_index(in->a));
		}
	}
	for (uint32_t i = 0; i < info->instr_count; i++)
		visit_instr(p, f, &unit->instrs[info->first_instr + i]);
}

