/*
 * linked - symbols resolved as the linker would: by name, a definition before a declaration, a
 * strong one before a weak or inline one, the first of several strong ones.
 *
 *     unit 0: declared push ──┐            linked function 7 ──► unit 2, index 3
 *     unit 2: external push ──┴──► 7
 *     unit 1: static   push ─────► 8
 *
 * Functions and globals have one table of names each (a name is a hash of its text; equal
 * hashes are compared). An alias adds its name to the table with its target's number.
 */
#include "find/scan/linked.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/vec.h"

/* ---- names -------------------------------------------------------------------------------------------- */

struct name_entry {
	const char *name;
	uint64_t more;   /* what tells equal names apart: size and fields of a type */
	uint32_t number;
};
struct names {
	struct name_entry *entries;
	size_t count, size;
};

static struct name_entry *names_slot(const struct names *names, const char *name, uint64_t more)
{
	size_t at = XXH3_64bits_withSeed(name, strlen(name), more) & (names->size - 1);

	while (names->entries[at].name && (names->entries[at].more != more || strcmp(names->entries[at].name, name)))
		at = (at + 1) & (names->size - 1);
	return &names->entries[at];
}

static void *need(void *memory)
{
	if (!memory)
		BUG("out of memory");
	return memory;
}

static void names_grow(struct names *names)
{
	struct names old = *names;

	names->size = old.size ? old.size * 2 : 1024;
	names->entries = need(calloc(names->size, sizeof(*names->entries)));
	for (size_t i = 0; i < old.size; i++)
		if (old.entries[i].name)
			*names_slot(names, old.entries[i].name, old.entries[i].more) = old.entries[i];
	free(old.entries);
}

/* The name's entry; a fresh one has number IR_NO. */
static struct name_entry *names_put(struct names *names, const char *name, uint64_t more)
{
	struct name_entry *entry;

	if (names->count * 2 >= names->size)
		names_grow(names);
	entry = names_slot(names, name, more);
	if (!entry->name) {
		*entry = (struct name_entry){ name, more, IR_NO };
		names->count++;
	}
	return entry;
}

/* ---- symbols -------------------------------------------------------------------------------------------- */

typedef VEC(struct linked_symbol) symbol_list;

struct linker {
	struct linked *l;
	struct names functions, globals, types;
	symbol_list function_list, global_list;
	VEC(struct linked_type) type_list;
};

/* How good a definition is: the best one of a name counts. */
static int strength(uint8_t linkage)
{
	return linkage == IR_EXTERNAL ? 2 : linkage == IR_MERGED ? 1 : 0;
}

/* The linkage a symbol of the list was taken over with. */
static uint8_t linkage_at(const struct linked *l, struct linked_symbol s, bool function)
{
	return function ? l->units[s.unit].functions[s.index].linkage : l->units[s.unit].globals[s.index].linkage;
}

static uint32_t add_symbol(struct linker *linker, symbol_list *list, struct names *names, bool function,
			   struct linked_symbol symbol, const char *name, uint8_t linkage)
{
	struct name_entry *entry;
	int old;

	symbol.external = linkage == IR_DECLARED;
	if (linkage == IR_INTERNAL || !*name) {
		VEC_PUSH(list, symbol);
		return (uint32_t)list->count - 1;
	}
	entry = names_put(names, name, 0);
	if (entry->number == IR_NO) {
		entry->number = (uint32_t)list->count;
		VEC_PUSH(list, symbol);
		return entry->number;
	}
	old = strength(linkage_at(linker->l, list->items[entry->number], function));
	if (strength(linkage) > old)
		list->items[entry->number] = symbol;
	else if (strength(linkage) == 2 && old == 2)
		linker->l->duplicate_count++;
	return entry->number;
}

static void add_unit(struct linker *linker, uint32_t unit)
{
	struct linked *l = linker->l;
	const struct ir_unit *u = &l->units[unit];
	const struct ir_header *h = u->header;

	l->function_of[unit] = need(malloc((h->functions.count + 1) * sizeof(uint32_t)));
	l->global_of[unit] = need(malloc((h->globals.count + 1) * sizeof(uint32_t)));
	for (uint32_t i = 0; i < h->functions.count; i++)
		l->function_of[unit][i] = add_symbol(linker, &linker->function_list, &linker->functions, true,
			(struct linked_symbol){ unit, i, false }, ir_string(u, u->functions[i].name), u->functions[i].linkage);
	for (uint32_t i = 0; i < h->globals.count; i++)
		l->global_of[unit][i] = add_symbol(linker, &linker->global_list, &linker->globals, false,
			(struct linked_symbol){ unit, i, false }, ir_string(u, u->globals[i].name), u->globals[i].linkage);
}

/* ---- aliases: a declared name that a unit has an alias for is the alias' target --------------------------- */

static ir_operand alias_base(const struct ir_unit *u, ir_operand target)
{
	return ir_kind(target) == IR_K_CONST ? u->constants[ir_index(target)].base : target;
}

/* Which number each number now stands for; only externals are ever sent on. */
struct forward {
	uint32_t *functions, *globals;
};

static void add_alias(struct linker *linker, const struct forward *forward, uint32_t unit, const struct ir_alias *alias)
{
	const struct ir_unit *u = &linker->l->units[unit];
	ir_operand base = alias_base(u, alias->target);
	bool function = ir_kind(base) == IR_K_FUNC;
	struct names *names = function ? &linker->functions : &linker->globals;
	uint32_t target, *to = function ? forward->functions : forward->globals;
	struct name_entry *entry;
	bool external;

	if (alias->linkage == IR_INTERNAL || (!function && ir_kind(base) != IR_K_GLOBAL) || !names->size)
		return;
	entry = names_slot(names, ir_string(u, alias->name), 0);
	target = function ? linker->l->function_of[unit][ir_index(base)] : linker->l->global_of[unit][ir_index(base)];
	if (!entry->name)
		return; /* nobody else names it */
	external = function ? linker->function_list.items[entry->number].external : linker->global_list.items[entry->number].external;
	if (external)
		to[entry->number] = target;
}

static uint32_t *identity(size_t count)
{
	uint32_t *map = need(malloc((count + 1) * sizeof(*map)));

	for (size_t i = 0; i < count; i++)
		map[i] = (uint32_t)i;
	return map;
}

static void forward_units(struct linked *l, const struct forward *forward)
{
	for (size_t unit = 0; unit < l->unit_count; unit++) {
		for (uint64_t i = 0; i < l->units[unit].header->functions.count; i++)
			l->function_of[unit][i] = forward->functions[l->function_of[unit][i]];
		for (uint64_t i = 0; i < l->units[unit].header->globals.count; i++)
			l->global_of[unit][i] = forward->globals[l->global_of[unit][i]];
	}
}

static void link_aliases(struct linker *linker)
{
	struct linked *l = linker->l;
	struct forward forward = { identity(linker->function_list.count), identity(linker->global_list.count) };
	bool any = false;

	for (uint32_t unit = 0; unit < l->unit_count; unit++)
		for (uint64_t i = 0; i < l->units[unit].header->aliases.count; i++) {
			add_alias(linker, &forward, unit, &l->units[unit].aliases[i]);
			any = true;
		}
	if (any)
		forward_units(l, &forward);
	free(forward.functions);
	free(forward.globals);
}

/* ---- types ------------------------------------------------------------------------------------------------ */

static uint32_t new_type(struct linker *linker, uint32_t unit, uint32_t index)
{
	VEC_PUSH(&linker->type_list, (struct linked_type){ unit, index });
	return (uint32_t)linker->type_list.count - 1;
}

static void add_types(struct linker *linker, uint32_t unit)
{
	struct linked *l = linker->l;
	const struct ir_unit *u = &l->units[unit];

	l->type_of[unit] = need(malloc((u->header->types.count + 1) * sizeof(uint32_t)));
	for (uint32_t i = 0; i < u->header->types.count; i++) {
		const struct ir_type *t = &u->types[i];
		const char *name = ir_string(u, t->name);
		struct name_entry *entry;

		if (!*name) {
			l->type_of[unit][i] = new_type(linker, unit, i);
			continue;
		}
		entry = names_put(&linker->types, name, t->size * 1024 + t->field_count);
		if (entry->number == IR_NO)
			entry->number = new_type(linker, unit, i);
		l->type_of[unit][i] = entry->number;
	}
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

int linked_make(struct linked *linked, struct ir_unit *units, size_t count)
{
	struct linker linker = { .l = linked };

	*linked = (struct linked){ .units = units, .unit_count = count };
	linked->function_of = need(calloc(count + 1, sizeof(*linked->function_of)));
	linked->global_of = need(calloc(count + 1, sizeof(*linked->global_of)));
	linked->type_of = need(calloc(count + 1, sizeof(*linked->type_of)));
	for (uint32_t unit = 0; unit < count; unit++) {
		add_unit(&linker, unit);
		add_types(&linker, unit);
	}
	link_aliases(&linker);
	linked->functions = linker.function_list.items;
	linked->function_count = linked->symbol_count = linker.function_list.count;
	linked->globals = linker.global_list.items;
	linked->global_count = linker.global_list.count;
	linked->types = linker.type_list.items;
	linked->type_count = linker.type_list.count;
	free(linker.functions.entries);
	free(linker.globals.entries);
	free(linker.types.entries);
	return 0;
}

void linked_free(struct linked *linked)
{
	for (size_t i = 0; i < linked->unit_count; i++) {
		free(linked->function_of[i]);
		free(linked->global_of[i]);
		free(linked->type_of[i]);
		ir_close(&linked->units[i]);
	}
	free(linked->function_of);
	free(linked->global_of);
	free(linked->type_of);
	free(linked->units);
	vec_release(linked->functions);
	vec_release(linked->globals);
	vec_release(linked->types);
	*linked = (struct linked){ 0 };
}

uint32_t linked_find_function(const struct linked *linked, const char *name)
{
	uint32_t found = IR_NO, statics = 0;

	for (uint32_t i = 0; i < linked->symbol_count; i++) {
		const struct ir_function *f = linked_function(linked, i);

		if (strcmp(ir_string(&linked->units[linked->functions[i].unit], f->name), name))
			continue;
		if (f->linkage != IR_INTERNAL)
			return i;
		found = found == IR_NO ? i : found;
		statics++;
	}
	return statics == 1 ? found : IR_NO;
}
