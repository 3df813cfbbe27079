/*
 * ir - map a unit and check every index in it once (I2), so that readers need not.
 *
 * The check is one pass over each table; a table's own check knows which other tables it
 * points into. A file that fails is named with the table that is wrong: it was written by
 * another version or cut off, and is made again.
 */
#include "find/scan/ir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* ---- checking ---------------------------------------------------------------------------------------- */

/* Counts of the tables, for the checks. */
struct check {
	const struct ir_unit *u;
	const struct ir_header *h;
	uint32_t values;          /* of the function being checked; 0: operands may not name any */
	uint32_t blocks;
};

static bool string_ok(const struct check *c, uint64_t at) { return at < c->h->strings.count; }
static bool type_ok(const struct check *c, uint32_t at) { return at == IR_NO || at < c->h->types.count; }
static bool location_ok(const struct check *c, uint32_t at) { return at < c->h->locations.count; }

static bool field_ok(const struct check *c, uint32_t type, uint32_t field)
{
	if (type == IR_NO || field == IR_NO)
		return type_ok(c, type) && field == IR_NO;
	return type_ok(c, type) && field < c->u->types[type].field_count;
}

static bool operand_ok(const struct check *c, ir_operand o)
{
	uint32_t i = ir_index(o);

	switch (ir_kind(o)) {
	case IR_K_NONE: case IR_K_NULL: return i == 0;
	case IR_K_VALUE: return i < c->values;
	case IR_K_GLOBAL: return i < c->h->globals.count;
	case IR_K_FUNC: return i < c->h->functions.count;
	case IR_K_CONST: return i < c->h->constants.count;
	default: return false;
	}
}

static bool has_extras(enum ir_op op)
{
	return op == IR_PHI || op == IR_CALL || op == IR_ASM || op == IR_OPAQUE || op == IR_BR || op == IR_SWITCH;
}

static bool range_ok(uint64_t first, uint64_t count, uint64_t all)
{
	return first <= all && count <= all - first;
}

static bool extras_ok(const struct check *c, const struct ir_instr *i)
{
	const uint32_t *extra = c->u->extras + i->extra;

	if (!has_extras(i->op))
		return true;
	if (!range_ok(i->extra, i->size, c->h->extras.count))
		return false;
	if ((i->op == IR_PHI || i->op == IR_ASM) && i->size % 2)
		return false;
	if ((i->op == IR_BR && (i->size < 1 || i->size > 2)) || (i->op == IR_SWITCH && i->size % 2 == 0))
		return false;
	for (uint32_t n = 0; n < i->size; n++) {
		bool is_block = i->op == IR_BR || (i->op == IR_PHI && n % 2 == 0) || (i->op == IR_SWITCH && n % 2 == 0);

		if (is_block ? extra[n] >= c->blocks : i->op == IR_SWITCH ? extra[n] >= c->h->constants.count :
		    i->op == IR_ASM && n % 2 ? false : !operand_ok(c, extra[n]))
			return false;
	}
	return true;
}

static bool typed_ok(const struct check *c, const struct ir_instr *i)
{
	switch (i->op) {
	case IR_FIELD: case IR_INDEX: return field_ok(c, i->type, i->field);
	case IR_ALLOCA: return type_ok(c, i->type) && string_ok(c, i->field);
	case IR_CALL: return i->type < c->h->signatures.count;
	case IR_ASM: return string_ok(c, i->type) && string_ok(c, (uint64_t)i->imm);
	case IR_OPAQUE: return string_ok(c, (uint64_t)i->imm);
	default: return true;
	}
}

static bool is_terminator(uint8_t op) { return op == IR_RET || op == IR_BR || op == IR_SWITCH || op == IR_STOP; }

static bool instr_ok(const struct check *c, const struct ir_instr *i)
{
	return i->op < IR_OP_COUNT && (i->dst == IR_NO || i->dst < c->values) && operand_ok(c, i->a) && operand_ok(c, i->b) &&
		operand_ok(c, i->c) && location_ok(c, i->loc) && typed_ok(c, i) && extras_ok(c, i);
}

static bool block_ok(const struct check *c, const struct ir_block *b)
{
	if (!b->count || !range_ok(b->first, b->count, c->h->instrs.count))
		return false;
	for (uint32_t n = 0; n < b->count; n++) {
		const struct ir_instr *i = &c->u->instrs[b->first + n];

		if (!instr_ok(c, i) || is_terminator(i->op) != (n + 1 == b->count))
			return false;
	}
	return true;
}

static bool function_ok(struct check *c, const struct ir_function *f)
{
	if (!string_ok(c, f->name) || !string_ok(c, f->display) || !string_ok(c, f->section) || !location_ok(c, f->loc) ||
	    f->signature >= c->h->signatures.count || f->formal_count > f->value_count || f->linkage > IR_DECLARED ||
	    !range_ok(f->first_formal, f->formal_count, c->h->formal_names.count) ||
	    !range_ok(f->first_block, f->block_count, c->h->blocks.count))
		return false;
	c->values = f->value_count;
	c->blocks = f->block_count;
	for (uint32_t n = 0; n < f->block_count; n++)
		if (!block_ok(c, &c->u->blocks[f->first_block + n]))
			return false;
	c->values = c->blocks = 0;
	return true;
}

static bool global_ok(const struct check *c, const struct ir_global *g)
{
	return string_ok(c, g->name) && string_ok(c, g->display) && string_ok(c, g->scope) && string_ok(c, g->section) &&
		location_ok(c, g->loc) && type_ok(c, g->type) && g->linkage <= IR_DECLARED &&
		range_ok(g->first_init, g->init_count, c->h->inits.count);
}

/* A type's parts come before it: a type that holds itself would have no end. */
static bool type_entry_ok(const struct check *c, const struct ir_type *t)
{
	uint32_t own = (uint32_t)(t - c->u->types);

	if (!string_ok(c, t->name) || (t->element != IR_NO && t->element >= own) ||
	    !range_ok(t->first_field, t->field_count, c->h->fields.count))
		return false;
	for (uint32_t n = 0; n < t->field_count; n++) {
		uint32_t part = c->u->fields[t->first_field + n].type;

		if (part != IR_NO && part >= own)
			return false;
	}
	return true;
}

#define ALL(table, variable, condition) do { \
	for (uint64_t n_ = 0; n_ < c->h->table.count; n_++) { \
		__typeof__(&c->u->table[0]) variable = &c->u->table[n_]; \
		if (!(condition)) \
			return #table; \
	} \
} while (0)

/* The table that is wrong, or NULL. */
static const char *unit_check(struct check *c)
{
	if (!c->h->strings.count || c->u->strings[0] || c->u->strings[c->h->strings.count - 1] || !string_ok(c, c->h->source))
		return "strings";
	if (!c->h->locations.count)
		return "locations";
	ALL(locations, l, string_ok(c, l->file) && string_ok(c, l->scope));
	ALL(constants, k, operand_ok(c, k->base) && ir_kind(k->base) != IR_K_CONST);
	ALL(types, t, type_entry_ok(c, t));
	ALL(fields, f, string_ok(c, f->name) && string_ok(c, f->type_name) && type_ok(c, f->type));
	ALL(signatures, s, string_ok(c, s->text));
	ALL(formal_names, s, string_ok(c, *s));
	ALL(inits, i, operand_ok(c, i->value) && field_ok(c, i->type, i->field));
	ALL(globals, g, global_ok(c, g));
	ALL(aliases, a, string_ok(c, a->name) && operand_ok(c, a->target));
	ALL(functions, f, function_ok(c, f));
	return NULL;
}

/* ---- mapping --------------------------------------------------------------------------------------- */

static const void *section(const struct ir_header *h, const struct ir_section *s, size_t size, bool *ok)
{
	if (s->offset % 8 || s->offset > h->size || s->count > (h->size - s->offset) / size)
		*ok = false;
	return (const char *)h + s->offset;
}
#define MAP(name) unit->name = section(h, &h->name, sizeof(*unit->name), &ok)

static bool map_sections(struct ir_unit *unit, const struct ir_header *h)
{
	bool ok = true;

	MAP(strings);
	MAP(constants);
	MAP(instrs);
	MAP(extras);
	MAP(blocks);
	MAP(functions);
	MAP(formal_names);
	MAP(globals);
	MAP(inits);
	MAP(types);
	MAP(fields);
	MAP(signatures);
	MAP(locations);
	MAP(aliases);
	return ok;
}

static int unit_read(struct ir_unit *unit, const char *path, size_t size)
{
	const struct ir_header *h = unit->header;
	struct check check = { .u = unit, .h = h };
	const char *wrong;

	if (size < sizeof(*h) || h->magic != IR_MAGIC)
		return error("%s: no lowered unit", path);
	if (h->version != IR_VERSION)
		return error("%s: lowered by another version (%u, this is %u)", path, h->version, IR_VERSION);
	if (h->size != size)
		return error("%s: cut off: %zu of %llu bytes", path, size, (unsigned long long)h->size);
	if (!map_sections(unit, h))
		return error("%s: damaged: a table lies outside of the file", path);
	wrong = unit_check(&check);
	if (wrong)
		return error("%s: damaged: %s point nowhere", path, wrong);
	return 0;
}

int ir_open(struct ir_unit *unit, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result;
	struct stat status;
	void *data;

	*unit = (struct ir_unit){ 0 };
	if (fd < 0 || fstat(fd, &status)) {
		result = error("%s: cannot be read: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return result;
	}
	if (!status.st_size) {
		close(fd);
		return error("%s: the file is empty", path);
	}
	data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return error("%s: cannot be mapped: %s", path, strerror(errno));
	unit->header = data;
	unit->mapped = (size_t)status.st_size;
	result = unit_read(unit, path, unit->mapped);
	if (result)
		ir_close(unit);
	return result;
}

void ir_close(struct ir_unit *unit)
{
	if (unit->mapped)
		munmap((void *)(uintptr_t)unit->header, unit->mapped);
	*unit = (struct ir_unit){ 0 };
}
