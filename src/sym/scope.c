/*
 * scope - functions of a unit, inlined copies, their names and first lines.
 *
 * The tree of a unit is walked once, in preorder. Only what can hold a function is
 * entered: namespaces, classes, functions, blocks. The name shown is DW_AT_name with the
 * enclosing namespaces and classes before it ("Queue::push"); the prefix is taken from
 * where the function is *declared* (abstract_origin, then specification), since that DIE
 * stands inside its class and the one with the code often does not. Closures have no name
 * in clang and "<lambda(int)>" in gcc: both are shown as "<lambda>".
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "sym/internal.h"

const char *scope_prefix(struct sym *sym, const char *prefix, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	if (dwarf_tag(die) == DW_TAG_namespace && !name)
		name = "(anonymous namespace)";
	else if (!name || !strncmp(name, "<lambda", 7))
		name = "<lambda>";
	return arena_printf(&sym->arena, "%s%s::", prefix, name);
}

static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type;
}

#define MOST_DEEP 256 /* blocks, classes and inlined calls inside each other */

/* What is around the DIEs being walked. */
struct around {
	const char *prefix;
	int class_line;
	int scope;
	int depth;
};

static int decl_line(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word line;

	return dwarf_attr_integrate(die, DW_AT_decl_line, &attr) && !dwarf_formudata(&attr, &line) ? (int)line : 0;
}

static int add_scope(struct unit *unit, Dwarf_Die *die, const struct around *around, int parent, bool inlined)
{
	uint32_t index = (uint32_t)unit->scopes.count;
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	VEC_PUSH(&unit->scopes, (struct scope){ *die, around->prefix, around->class_line, parent, inlined });
	while ((next = dwarf_ranges(die, next, &base, &low, &high)) > 0)
		range_add(&unit->ranges, low, high, index);
	return (int)index;
}

static void walk(struct sym *sym, struct unit *unit, Dwarf_Die *parent, struct around around);

static void visit(struct sym *sym, struct unit *unit, Dwarf_Die *die, struct around around)
{
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_subprogram)
		walk(sym, unit, die, (struct around){ "", 0, add_scope(unit, die, &around, -1, false), around.depth });
	else if (tag == DW_TAG_inlined_subroutine)
		walk(sym, unit, die,
		     (struct around){ "", 0, add_scope(unit, die, &around, around.scope, true), around.depth });
	else if (tag == DW_TAG_lexical_block)
		walk(sym, unit, die, around);
	else if (holds_functions(tag) && dwarf_haschildren(die))
		walk(sym, unit, die, (struct around){ scope_prefix(sym, around.prefix, die),
						      tag == DW_TAG_namespace ? 0 : decl_line(die), around.scope,
						      around.depth });
}

static void walk(struct sym *sym, struct unit *unit, Dwarf_Die *parent, struct around around)
{
	Dwarf_Die die;

	if (around.depth++ > MOST_DEEP || dwarf_child(parent, &die))
		return;
	do
		visit(sym, unit, &die, around);
	while (!dwarf_siblingof(&die, &die));
}

void unit_load_scopes(struct sym *sym, struct unit *unit)
{
	if (unit->scopes_loaded)
		return;
	unit->scopes_loaded = true;
	walk(sym, unit, &unit->tree, (struct around){ "", 0, -1, 0 });
	range_sort(&unit->ranges);
}

static int depth(const struct unit *unit, int scope)
{
	int n = 0;

	for (; scope >= 0; scope = unit->scopes.items[scope].parent)
		n++;
	return n;
}

/*
 * The deepest scope that holds the address. Ranges nest, so every candidate starts at or
 * before the address; we look back until a function (depth 1) covers it.
 */
int unit_scope(const struct unit *unit, Dwarf_Addr address)
{
	int best = -1, best_depth = 0;
	size_t low = 0, high = unit->ranges.count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (unit->ranges.items[mid].low <= address)
			low = mid + 1;
		else
			high = mid;
	}
	while (low-- > 0) {
		const struct range *r = &unit->ranges.items[low];
		int d;

		if (r->high <= address)
			continue;
		d = depth(unit, (int)r->index);
		if (d > best_depth) {
			best = (int)r->index;
			best_depth = d;
		}
		if (d == 1)
			break;
	}
	return best;
}

/* Follow abstract_origin and specification to the declaration. */
static void declaration_of(Dwarf_Die *die)
{
	static const unsigned links[] = { DW_AT_abstract_origin, DW_AT_specification };
	Dwarf_Attribute attr;
	Dwarf_Die next;

	for (int i = 0, hops = 0; i < 2; i++)
		while (dwarf_attr(die, links[i], &attr) && dwarf_formref_die(&attr, &next) && hops++ < MOST_LINKS)
			*die = next;
}

static struct scope *scope_of_die(struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	size_t low = 0, high = unit->scopes.count;

	while (low < high) {
		size_t mid = (low + high) / 2;
		Dwarf_Off at = dwarf_dieoffset(&unit->scopes.items[mid].die);

		if (at == offset)
			return &unit->scopes.items[mid];
		if (at < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* With LTO the declaration may stand in another unit. */
static struct unit *unit_of_die(struct module *module, struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Die cu;

	if (!dwarf_diecu(die, &cu, NULL, NULL) || cu.addr == unit->tree.addr)
		return unit;
	for (size_t i = 0; i < module->units.count; i++)
		if (module->units.items[i].tree.addr == cu.addr)
			return &module->units.items[i];
	return NULL;
}

static struct scope *declared_scope(struct sym *sym, struct module *module, struct unit *unit, Dwarf_Die *declared)
{
	unit = unit_of_die(module, unit, declared);
	if (!unit)
		return NULL;
	unit_load_scopes(sym, unit);
	return scope_of_die(unit, declared);
}

const char *scope_name(struct sym *sym, struct module *module, struct unit *unit, struct scope *scope)
{
	Dwarf_Die declared = scope->die;
	struct scope *at;
	const char *name;

	declaration_of(&declared);
	name = dwarf_diename(&declared);
	at = name ? declared_scope(sym, module, unit, &declared) : NULL;
	if (!at || !at->prefix[0])
		return name;
	return arena_printf(&sym->arena, "%s%s", at->prefix, name);
}

/* gcc gives the body of a lambda no line, but its class. */
int scope_first_line(struct sym *sym, struct module *module, struct unit *unit, struct scope *scope)
{
	Dwarf_Die declared = scope->die;
	int line = decl_line(&declared);
	struct scope *at;

	if (line)
		return line;
	declaration_of(&declared);
	at = declared_scope(sym, module, unit, &declared);
	return at ? at->class_line : 0;
}
