/*
 * pairs_fields - a points-to class that has collected everything, in parts: accesses to one field of one struct.
 *
 * Steensgaard's classes run together in a kernel until one holds four accesses of five. Each with each would be
 * 10^10 pairs, nearly all of them of two fields that have nothing to do with each other. So a class beyond
 * CLASS_PAIRS is compared field by field, which grows with the program.
 *
 *     dev->kobj.name     (device, 72) ──┐
 *     kobject->name      (kobject, 8) ──┴─► (kobject, name)
 *     dev->list.next     (device, list) + 0        not (list_head, next): a list head is part of many things
 *
 * I1  The name is taken from the function's own words (event), not from the caller's: merged contexts have none.
 * I2  An inner struct of at most SMALL bytes is no name by itself: list heads, counters, locks.
 * I3  What has no name (a plain int *, a range of bytes) is a part of its own. That two parts may be the same
 *     memory is given up, and listed as not sound.
 */
#include <stdlib.h>

#include "find/scan/intern.h"

#define SMALL 16

/* The struct a path points to: what the code used it as, or what the global is. */
static uint32_t struct_of(const struct scan *s, path_id path)
{
	const struct path *p = path_at(s, path);

	if (p->hint == IR_NO && p->kind == PATH_GLOBAL) {
		const struct linked_symbol *symbol = &s->program->globals[p->a];
		uint32_t type = linked_global(s->program, p->a)->type;

		return type == IR_NO ? IR_NO : s->program->type_of[symbol->unit][type];
	}
	return p->hint;
}

/* The field of a type at an offset, as deep as it has a name of its own. 0: none there. */
static uint64_t field_at(const struct scan *s, uint32_t program_type, int64_t off)
{
	const struct linked_type *at = &s->program->types[program_type];
	const struct ir_unit *unit = &s->program->units[at->unit];
	uint32_t type = at->index;
	uint64_t key = 0;

	for (int depth = 0; depth < 12 && type != IR_NO && off >= 0; depth++) {
		const struct ir_type *t = &unit->types[type];
		uint32_t hit;

		if (t->element_size) {
			off %= (int64_t)t->element_size;
			type = t->element;
			continue;
		}
		hit = ir_field_at(unit, t, off);
		if (hit == IR_NO || (depth && key && t->size <= SMALL))
			break;
		if (*ir_string(unit, t->name) || !key)
			key = intern_mix(s->program->type_of[at->unit][type], hit) | 1;
		else
			key = intern_mix(key, hit) | 1; /* an anonymous one inside */
		off -= (int64_t)unit->fields[t->first_field + hit].offset;
		type = unit->fields[t->first_field + hit].type;
	}
	return key ? intern_mix(key, (uint64_t)off) | 1 : 0;
}

uint64_t pair_field(const struct scan *s, path_id path)
{
	int64_t off = 0;

	for (int depth = 0; depth < 8; depth++) {
		const struct path *p = path_at(s, path);
		uint32_t type = struct_of(s, path);
		uint64_t key = type == IR_NO ? 0 : field_at(s, type, off);

		if (key)
			return key;
		if (p->kind == PATH_FIELD)
			off += p->off;
		else if (p->kind != PATH_INDEX)
			return 0;
		path = p->base;
	}
	return 0;
}
