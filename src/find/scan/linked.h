/*
 * linked - all units of a program as one: the symbols are resolved, nothing is copied.
 *
 * A function or global of the program is a number; its unit and index there are a lookup away.
 * Static ones stay apart, merged ones (inline functions in headers) count once, a declaration
 * resolves to its definition or stays external (then it needs a model, or is an assumption).
 */
#ifndef FIND_SCAN_LINKED_H
#define FIND_SCAN_LINKED_H

#include "find/scan/ir.h"

struct linked_symbol {
	uint32_t unit;   /* index into units of the definition, or of a declaration if external */
	uint32_t index;  /* in that unit's functions or globals */
	bool external;   /* no definition anywhere */
};

struct linked {
	struct ir_unit *units;
	size_t unit_count;
	struct linked_symbol *functions;
	size_t function_count;
	size_t symbol_count; /* = function_count, but in the analysis: copies of functions have none (wrappers.c) and come after */
	struct linked_symbol *globals;
	size_t global_count;
	/* Per unit: its function or global index -> the program's number. */
	uint32_t **function_of, **global_of;
	/* Types of one name, size and field count are one: the program's type number. */
	uint32_t **type_of;
	struct linked_type { uint32_t unit, index; } *types;
	size_t type_count;
	/* Set when two units define one external symbol: as the linker would, the first counts. */
	size_t duplicate_count;
};

/* units are taken over. 0 / -1. */
int linked_make(struct linked *linked, struct ir_unit *units, size_t count);
void linked_free(struct linked *linked);

static inline const struct ir_unit *linked_unit(const struct linked *l, struct linked_symbol s) { return &l->units[s.unit]; }
static inline const struct ir_function *linked_function(const struct linked *l, uint32_t f)
{
	return &l->units[l->functions[f].unit].functions[l->functions[f].index];
}
static inline const struct ir_global *linked_global(const struct linked *l, uint32_t g)
{
	return &l->units[l->globals[g].unit].globals[l->globals[g].index];
}
/* Number of the program's function of this linker name, or IR_NO; static ones only if alone. */
uint32_t linked_find_function(const struct linked *linked, const char *name);

#endif
