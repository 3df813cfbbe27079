/*
 * ir_print - a unit as text, one instruction a line: for people and for tests.
 *
 *     function push(q, v) v(pi) queue.c:12
 *       block 0
 *         %2 = field %0 +8 struct queue.len                 @13:5
 *         store4 %2 = %1                                     @13:9
 */
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "find/scan/ir.h"

static const char *const op_names[IR_OP_COUNT] = { "alloca", "load", "store", "rmw", "cmpxchg", "fence", "field", "index", "copy",
	"to-int", "to-ptr", "phi", "select", "arith", "compare", "call", "asm", "memcpy", "memset", "extract", "opaque", "ret", "br",
	"switch", "stop" };
static const char *const copy_names[] = { "", ".trunc", ".zext", ".sext" };
static const char *const arith_names[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "?" };
static const char *const compare_names[] = { "==", "!=", "<", "<=", ">", ">=", "?" };
static const char *const rmw_names[] = { ".xchg", ".add", ".sub", ".and", ".or", ".xor", ".other" };
static const char *const order_names[] = { "", " relaxed", " acquire", " release", " acq_rel", " seq_cst" };
static const char *const linkage_names[] = { "", "static ", "merged ", "declared " };
#define NAME(table, i) ((i) < sizeof(table) / sizeof(table[0]) ? table[i] : "?")

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_operand(struct strbuf *out, const struct ir_unit *u, ir_operand o)
{
	uint32_t i = ir_index(o);

	switch (ir_kind(o)) {
	case IR_K_NONE: strbuf_puts(out, "undef"); break;
	case IR_K_NULL: strbuf_puts(out, "null"); break;
	case IR_K_VALUE: strbuf_printf(out, "%%%u", i); break;
	case IR_K_GLOBAL: strbuf_printf(out, "@%s", ir_string(u, u->globals[i].name)); break;
	case IR_K_FUNC: strbuf_printf(out, "&%s", ir_string(u, u->functions[i].name)); break;
	case IR_K_CONST:
		if (!u->constants[i].base) {
			strbuf_printf(out, "%" PRId64, u->constants[i].value);
			break;
		}
		put_operand(out, u, u->constants[i].base);
		strbuf_printf(out, "%+" PRId64, u->constants[i].value);
		break;
	}
}

static void put_field(struct strbuf *out, const struct ir_unit *u, uint32_t type, uint32_t field)
{
	const char *name;

	if (type == IR_NO || field == IR_NO)
		return;
	name = ir_string(u, u->fields[u->types[type].first_field + field].name);
	strbuf_printf(out, " %s.", ir_string(u, u->types[type].name));
	if (*name)
		strbuf_puts(out, name);
	else
		strbuf_printf(out, "%u", field);
}

static void put_type(struct strbuf *out, const struct ir_unit *u, uint32_t type)
{
	const struct ir_type *t;

	if (type == IR_NO)
		return;
	t = &u->types[type];
	if (t->element_size) {
		put_type(out, u, t->element);
		strbuf_printf(out, "[%" PRIu64 "]", t->size / t->element_size);
	} else {
		strbuf_printf(out, " %s", *ir_string(u, t->name) ? ir_string(u, t->name) : "struct");
	}
}

/* A string in quotes; line ends and tabs as \n and \t. */
static void put_quoted(struct strbuf *out, const char *text)
{
	strbuf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '\n')
			strbuf_puts(out, "\\n");
		else if (*text == '\t')
			strbuf_puts(out, "\\t");
		else
			strbuf_putc(out, *text);
	}
	strbuf_putc(out, '"');
}

static void put_list(struct strbuf *out, const struct ir_unit *u, const struct ir_instr *i, uint32_t step)
{
	strbuf_putc(out, '(');
	for (uint32_t n = 0; n < i->size; n += step) {
		if (n)
			strbuf_puts(out, ", ");
		put_operand(out, u, u->extras[i->extra + n]);
		if (step == 2 && u->extras[i->extra + n + 1])
			strbuf_printf(out, ":%u", u->extras[i->extra + n + 1]);
	}
	strbuf_putc(out, ')');
}

static void put_blocks(struct strbuf *out, const struct ir_unit *u, const struct ir_instr *i)
{
	const uint32_t *extra = u->extras + i->extra;

	for (uint32_t n = 0; n < i->size; n++) {
		if (i->op == IR_SWITCH && n % 2)
			strbuf_printf(out, " %" PRId64 ":", u->constants[extra[n]].value);
		else if (i->op == IR_PHI && n % 2)
			put_operand(out, u, extra[n]);
		else
			strbuf_printf(out, i->op == IR_PHI ? " b%u:" : i->op == IR_SWITCH && n ? "b%u" : " b%u", extra[n]);
	}
}

static void put_access(struct strbuf *out, const struct ir_instr *i)
{
	if (i->op == IR_LOAD || i->op == IR_STORE || i->op == IR_RMW || i->op == IR_CMPXCHG)
		strbuf_printf(out, "%u", i->size);
	strbuf_puts(out, i->flags & IR_F_VOLATILE ? " volatile" : "");
	strbuf_puts(out, i->flags & IR_F_ATOMIC ? " atomic" : "");
	strbuf_puts(out, NAME(order_names, (size_t)ir_order_of(i->flags)));
	strbuf_puts(out, i->flags & IR_F_TLS ? " tls" : "");
	strbuf_puts(out, i->flags & IR_F_POINTER ? " ptr" : "");
	strbuf_puts(out, i->flags & IR_F_NORETURN ? " noreturn" : "");
	strbuf_puts(out, i->flags & IR_F_INVOKE ? " invoke" : "");
}

static void put_operands(struct strbuf *out, const struct ir_unit *u, const struct ir_instr *i, const char *between)
{
	strbuf_putc(out, ' ');
	put_operand(out, u, i->a);
	strbuf_printf(out, " %s ", between);
	put_operand(out, u, i->b);
}

static void put_one(struct strbuf *out, const struct ir_unit *u, const struct ir_instr *i)
{
	strbuf_putc(out, ' ');
	put_operand(out, u, i->a);
}

static void put_rest(struct strbuf *out, const struct ir_unit *u, const struct ir_instr *i)
{
	switch ((enum ir_op)i->op) {
	case IR_ALLOCA:
		strbuf_printf(out, " %" PRId64, i->imm);
		put_type(out, u, i->type);
		if (i->field)
			strbuf_printf(out, " \"%s\"", ir_string(u, i->field));
		break;
	case IR_LOAD: case IR_COPY: case IR_TO_INT: case IR_TO_PTR: put_one(out, u, i); break;
	case IR_STORE: put_operands(out, u, i, "="); break;
	case IR_RMW: put_operands(out, u, i, ","); break;
	case IR_CMPXCHG: case IR_MEMCPY: case IR_MEMSET: case IR_SELECT:
		put_operands(out, u, i, ",");
		strbuf_puts(out, " , ");
		put_operand(out, u, i->c);
		break;
	case IR_FIELD:
		put_one(out, u, i);
		strbuf_printf(out, " %+" PRId64, i->imm);
		put_field(out, u, i->type, i->field);
		break;
	case IR_INDEX:
		put_one(out, u, i);
		strbuf_printf(out, " %+" PRId64 " + ", i->imm);
		put_operand(out, u, i->b);
		strbuf_printf(out, " * %u", i->size);
		put_field(out, u, i->type, i->field);
		break;
	case IR_ARITH: put_operands(out, u, i, NAME(arith_names, i->sub)); break;
	case IR_COMPARE: put_operands(out, u, i, NAME(compare_names, i->sub)); break;
	case IR_CALL:
		put_one(out, u, i);
		put_list(out, u, i, 1);
		strbuf_printf(out, " %s", ir_string(u, u->signatures[i->type].text));
		break;
	case IR_ASM:
		strbuf_putc(out, ' ');
		put_quoted(out, ir_string(u, (uint32_t)i->imm));
		strbuf_putc(out, ' ');
		put_quoted(out, ir_string(u, i->type));
		put_list(out, u, i, 2);
		break;
	case IR_EXTRACT:
		put_one(out, u, i);
		strbuf_printf(out, " . %" PRId64, i->imm);
		break;
	case IR_OPAQUE:
		strbuf_printf(out, " %s", ir_string(u, (uint32_t)i->imm));
		put_list(out, u, i, 1);
		break;
	case IR_RET: case IR_SWITCH: case IR_BR:
		if (i->a)
			put_one(out, u, i);
		/* fall through */
	case IR_PHI:
		if (i->op != IR_RET)
			put_blocks(out, u, i);
		break;
	case IR_FENCE: case IR_STOP: case IR_OP_COUNT: break;
	}
}

static void put_instr(struct strbuf *out, const struct ir_unit *u, const struct ir_instr *i)
{
	const struct ir_location *l = &u->locations[i->loc];

	strbuf_puts(out, "    ");
	if (i->dst != IR_NO)
		strbuf_printf(out, "%%%u = ", i->dst);
	strbuf_printf(out, "%s%s%s", op_names[i->op], i->op == IR_COPY ? NAME(copy_names, i->sub) : "",
		i->op == IR_RMW ? NAME(rmw_names, i->sub) : "");
	put_access(out, i);
	put_rest(out, u, i);
	if (i->loc)
		strbuf_printf(out, "  @%u:%u", l->line, l->column);
	if (l->scope)
		strbuf_printf(out, " of %s", ir_string(u, l->scope));
	strbuf_putc(out, '\n');
}

static void put_place(struct strbuf *out, const struct ir_unit *u, uint32_t loc)
{
	if (loc)
		strbuf_printf(out, " %s:%u", base_name(ir_string(u, u->locations[loc].file)), u->locations[loc].line);
	strbuf_putc(out, '\n');
}

static void put_function(struct strbuf *out, const struct ir_unit *u, const struct ir_function *f)
{
	strbuf_printf(out, "%s%s%sfunction %s(", NAME(linkage_names, f->linkage), f->constructor ? "constructor " : "",
		f->noreturn ? "noreturn " : "", ir_string(u, f->name));
	for (uint32_t n = 0; n < f->formal_count; n++)
		strbuf_printf(out, "%s%s", n ? ", " : "", ir_string(u, u->formal_names[f->first_formal + n]));
	strbuf_printf(out, ") %s", ir_string(u, u->signatures[f->signature].text));
	if (f->display != f->name)
		strbuf_printf(out, " \"%s\"", ir_string(u, f->display));
	if (f->section)
		strbuf_printf(out, " in %s", ir_string(u, f->section));
	put_place(out, u, f->loc);
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct ir_block *block = &u->blocks[f->first_block + b];

		strbuf_printf(out, "  block %u\n", b);
		for (uint32_t n = 0; n < block->count; n++)
			put_instr(out, u, &u->instrs[block->first + n]);
	}
}

static void put_global(struct strbuf *out, const struct ir_unit *u, const struct ir_global *g)
{
	strbuf_printf(out, "%s%s%sglobal %s %" PRIu64, NAME(linkage_names, g->linkage), g->flags & IR_G_CONSTANT ? "constant " : "",
		g->flags & IR_G_TLS ? "tls " : "", ir_string(u, g->name), g->size);
	put_type(out, u, g->type);
	if (g->display != g->name)
		strbuf_printf(out, " \"%s\"", ir_string(u, g->display));
	if (g->scope)
		strbuf_printf(out, " of %s", ir_string(u, g->scope));
	if (g->section)
		strbuf_printf(out, " in %s", ir_string(u, g->section));
	put_place(out, u, g->loc);
	for (uint32_t n = 0; n < g->init_count; n++) {
		const struct ir_init *init = &u->inits[g->first_init + n];

		strbuf_printf(out, "  +%" PRIu64 " = ", init->offset);
		put_operand(out, u, init->value);
		put_field(out, u, init->type, init->field);
		strbuf_putc(out, '\n');
	}
}

static void put_struct(struct strbuf *out, const struct ir_unit *u, const struct ir_type *t)
{
	if (t->element_size)
		return;
	strbuf_printf(out, "type %s %" PRIu64 "%s\n", *ir_string(u, t->name) ? ir_string(u, t->name) : "-", t->size,
		t->is_union ? " union" : "");
	for (uint32_t n = 0; n < t->field_count; n++) {
		const struct ir_field *f = &u->fields[t->first_field + n];

		strbuf_printf(out, "  +%" PRIu64 " %" PRIu64 " %s: %s%s%s%s%s", f->offset, f->size, ir_string(u, f->name),
			ir_string(u, f->type_name), f->flags & IR_FIELD_POINTER ? " pointer" : "",
			f->flags & IR_FIELD_FUNCTION ? " function" : "", f->flags & IR_FIELD_VOLATILE ? " volatile" : "",
			f->flags & IR_FIELD_ATOMIC ? " atomic" : "");
		put_type(out, u, f->type);
		strbuf_putc(out, '\n');
	}
}

void ir_print(struct strbuf *out, const struct ir_unit *u)
{
	const struct ir_header *h = u->header;

	strbuf_printf(out, "unit %s lines %" PRIu64 "%s%s%s\n", base_name(ir_string(u, h->source)), h->lines,
		h->flags & IR_UNIT_CXX ? " c++" : "", h->flags & IR_UNIT_NO_DEBUG ? " no-debug" : "",
		h->flags & IR_UNIT_MODULE_ASM ? " module-asm" : "");
	for (uint64_t n = 0; n < h->types.count; n++)
		put_struct(out, u, &u->types[n]);
	for (uint64_t n = 0; n < h->globals.count; n++)
		put_global(out, u, &u->globals[n]);
	for (uint64_t n = 0; n < h->aliases.count; n++) {
		strbuf_printf(out, "%salias %s = ", NAME(linkage_names, u->aliases[n].linkage), ir_string(u, u->aliases[n].name));
		put_operand(out, u, u->aliases[n].target);
		strbuf_putc(out, '\n');
	}
	for (uint64_t n = 0; n < h->functions.count; n++)
		put_function(out, u, &u->functions[n]);
}
