/*
 * atomic - names of variables and members whose type is atomic (_Atomic, std::atomic): machine
 * code does not tell their accesses from others (find/plain/atomic.c).
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "sym/internal.h"

static bool is_atomic_class(const char *name)
{
	return name && (!strncmp(name, "atomic<", 7) || !strncmp(name, "__atomic_base<", 14) || !strcmp(name, "atomic_flag"));
}

/* Through typedefs, qualifiers and arrays; not through pointers: those are not atomic themselves. */
static bool is_atomic(Dwarf_Die *die)
{
	Dwarf_Die type;
	int hops = 0;

	while (type_of(die, &type) && hops++ < MOST_LINKS) {
		switch (dwarf_tag(&type)) {
		case DW_TAG_atomic_type:
			return true;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			return is_atomic_class(dwarf_diename(&type));
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_array_type:
			*die = type;
			break;
		default:
			return false;
		}
	}
	return false;
}

/* A pointer to an atomic is used to reach it: *flag. */
static bool leads_to_atomic(Dwarf_Die *die)
{
	Dwarf_Die own = *die, type;

	if (is_atomic(&own))
		return true;
	return type_of(die, &type) && (dwarf_tag(&type) == DW_TAG_pointer_type || dwarf_tag(&type) == DW_TAG_reference_type) &&
	       is_atomic(&type);
}

static void collect(struct module *module, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > MOST_LINKS || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		const char *name = dwarf_diename(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_member || tag == DW_TAG_formal_parameter) {
			if (name && leads_to_atomic(&die))
				VEC_PUSH(&module->atomics, name);
		} else if (dwarf_haschildren(&die)) {
			collect(module, &die, depth + 1);
		}
	} while (!dwarf_siblingof(&die, &die));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void load(struct module *module)
{
	if (module->atomics_loaded)
		return;
	module->atomics_loaded = true;
	for (size_t i = 0; i < module->units.count; i++)
		collect(module, &module->units.items[i].tree, 0);
	if (module->atomics.count)
		qsort(module->atomics.items, module->atomics.count, sizeof(*module->atomics.items), compare);
}

bool sym_is_atomic_name(struct sym *sym, const struct place *place, const char *name)
{
	struct module *module = module_get(sym, place->module, place->build_id);

	load(module);
	return module->atomics.count &&
	       bsearch(&name, module->atomics.items, module->atomics.count, sizeof(name), compare);
}
