/*
 * variable - the global at an address, with the path to the member: "queue.len",
 * "table[3].next".
 *
 * All variables with a fixed address (globals, file and function statics, static members)
 * are collected once per module; the type is only walked for the one asked for. Where
 * there is no debug information the symbol table answers ("queue+8"). Locals live on
 * stacks and are never named.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "sym/internal.h"

/* ---- collecting ------------------------------------------------------------------ */

/* Only "the address x", perhaps "plus n" (clang's merged globals). */
static bool fixed_address(Dwarf_Die *die, Dwarf_Addr *address)
{
	Dwarf_Attribute attr, value;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &count) || !count)
		return false;
	if (ops[0].atom == DW_OP_addr)
		*address = ops[0].number;
	else if ((ops[0].atom != DW_OP_addrx && ops[0].atom != DW_OP_GNU_addr_index) ||
		 dwarf_getlocation_attr(&attr, &ops[0], &value) || dwarf_formaddr(&value, address))
		return false;
	if (count == 1)
		return true;
	*address += ops[1].number;
	return count == 2 && ops[1].atom == DW_OP_plus_uconst;
}

static int compare_declaration(const void *a, const void *b)
{
	const struct declaration *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static Dwarf_Off declaration_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die declared;

	if (!dwarf_attr(die, DW_AT_specification, &attr) || !dwarf_formref_die(&attr, &declared))
		return 0;
	return dwarf_dieoffset(&declared);
}

static void add_declaration(struct module *module, Dwarf_Die *die, const char *prefix)
{
	if (*prefix && dwarf_hasattr(die, DW_AT_declaration))
		VEC_PUSH(&module->declarations, (struct declaration){ dwarf_dieoffset(die), prefix });
}

static void add_global(struct module *module, Dwarf_Die *die, const char *prefix)
{
	struct global g = { .size = 1, .name = dwarf_diename(die), .prefix = prefix, .declared = declaration_of(die) };
	Dwarf_Word size;

	if (!g.name || !fixed_address(die, &g.address))
		return;
	g.has_type = type_of(die, &g.type);
	if (g.has_type && !dwarf_aggregate_size(&g.type, &size) && size)
		g.size = size;
	VEC_PUSH(&module->globals, g);
}

/*
 * The namespace or class that holds the declaration gives the name its prefix; it may come
 * after the definition (clang), so this waits until all are known.
 */
static void name_global(struct sym *sym, struct module *module, struct global *g)
{
	struct declaration key = { g->declared, NULL }, *found = NULL;

	if (g->declared && module->declarations.count)
		found = bsearch(&key, module->declarations.items, module->declarations.count, sizeof(key),
				compare_declaration);
	if (found)
		g->prefix = found->prefix;
	if (*g->prefix)
		g->name = arena_printf(&sym->arena, "%s%s", g->prefix, g->name);
}

static bool may_hold_variables(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

static void collect(struct sym *sym, struct module *module, Dwarf_Die *parent, const char *prefix, int depth)
{
	Dwarf_Die die;

	if (depth > MOST_LINKS || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_member)
			add_declaration(module, &die, prefix);
		if (tag == DW_TAG_variable)
			add_global(module, &die, prefix);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type)
			collect(sym, module, &die, scope_prefix(sym, prefix, &die), depth + 1);
		else if (may_hold_variables(tag))
			collect(sym, module, &die, prefix, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static int global_compare(const void *a, const void *b)
{
	const struct global *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

void module_load_globals(struct sym *sym, struct module *module)
{
	if (module->globals_loaded)
		return;
	module->globals_loaded = true;
	for (size_t i = 0; i < module->units.count; i++)
		collect(sym, module, &module->units.items[i].tree, "", 0);
	if (module->declarations.count)
		qsort(module->declarations.items, module->declarations.count, sizeof(struct declaration),
		      compare_declaration);
	for (size_t i = 0; i < module->globals.count; i++)
		name_global(sym, module, &module->globals.items[i]);
	if (module->globals.count)
		qsort(module->globals.items, module->globals.count, sizeof(struct global), global_compare);
}

/* ---- asking ------------------------------------------------------------------------- */

static const char *from_symbols(struct arena *arena, struct module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name;

	if (!module->mod)
		return NULL;
	name = dwfl_module_addrinfo(module->mod, address, &offset, &symbol, NULL, NULL, NULL);
	if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
		return NULL;
	if (!offset)
		return arena_strdup(arena, name);
	return arena_printf(arena, "%s+%llu", name, (unsigned long long)offset);
}

static struct global *global_at(struct module *module, Dwarf_Addr address)
{
	size_t low = 0, high = module->globals.count;
	struct global *g;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (module->globals.items[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	g = low ? &module->globals.items[low - 1] : NULL;
	return g && address - g->address < g->size ? g : NULL;
}

const char *sym_variable(struct sym *sym, struct arena *arena, const struct place *place)
{
	struct module *module = module_get(sym, place->module, place->build_id);
	struct global *g;
	Dwarf_Addr address = place->offset - module->bias;

	module_load_globals(sym, module);
	g = global_at(module, address);
	if (!g)
		return from_symbols(arena, module, place->offset);
	if (!g->has_type)
		return arena_strdup(arena, g->name);
	return type_path(arena, arena_strdup(arena, g->name), &g->type, address - g->address);
}

bool sym_is_atomic(struct sym *sym, const struct place *place)
{
	struct module *module = module_get(sym, place->module, place->build_id);
	Dwarf_Addr address = place->offset - module->bias;
	struct global *g;

	module_load_globals(sym, module);
	g = global_at(module, address);
	return g && g->has_type && type_is_atomic(&g->type, address - g->address);
}
