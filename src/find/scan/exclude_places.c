/*
 * exclude_places - when is a name one object? Places in code first: loops, dominance, functions entered once.
 *
 * I1  "The same object on both sides" (same_place) is only said of a name that can mean one thing: a
 *     global, an object whose allocation is executed once, or what was loaded from a place that is
 *     not written while threads run (stable).
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/exclude.h"

/* ---- places in code ------------------------------------------------------------------------------------------ */

static uint32_t block_of(const struct scan *s, uint32_t f, uint32_t instr)
{
	const struct ir_function *function = scan_function(s, f);
	const struct ir_unit *unit = scan_unit(s, f);

	for (uint32_t b = 0; b < function->block_count; b++) {
		const struct ir_block *block = &unit->blocks[function->first_block + b];

		if (instr >= block->first && instr < block->first + block->count)
			return b;
	}
	return 0;
}

uint32_t instr_of_value(const struct scan *s, uint32_t f, uint32_t value)
{
	const struct function_info *info = &s->functions[f];
	const struct ir_unit *unit = scan_unit(s, f);

	if (value >= scan_function(s, f)->value_count) /* a call without a result: see effects.c */
		return value - scan_function(s, f)->value_count;
	for (uint32_t i = 0; i < info->instr_count; i++)
		if (unit->instrs[info->first_instr + i].dst == value)
			return info->first_instr + i;
	return IR_NO;
}

/* Blocks reached from `from` (not counting it unless a cycle leads there) without entering `avoid`. */
static bool reaches(const struct scan *s, uint32_t f, uint32_t from, uint32_t to, uint32_t avoid)
{
	struct work w = { .s = (struct scan *)s, .f = f, .unit = scan_unit(s, f), .function = scan_function(s, f) };
	uint32_t n = w.function->block_count, count = 0, *list = malloc((n + 1) * sizeof(*list));
	bool *seen = calloc(n + 1, 1), found = false;

	if (!list || !seen)
		BUG("out of memory");
	list[count++] = from;
	for (uint32_t k = 0; k < count && !found; k++)
		for (size_t i = 0;; i++) {
			uint32_t next = block_successor(&w, list[k], i);

			if (next == IR_NO)
				break;
			if (next == avoid)
				continue;
			found |= next == to;
			if (!seen[next])
				seen[next] = true, list[count++] = next;
		}
	free(list);
	free(seen);
	return found;
}

bool instr_in_loop(const struct scan *s, uint32_t f, uint32_t instr)
{
	uint32_t b = block_of(s, f, instr);

	return reaches(s, f, b, b, IR_NO);
}

bool instr_dominates(const struct scan *s, uint32_t f, uint32_t before, uint32_t instr)
{
	uint32_t a = block_of(s, f, before), b = block_of(s, f, instr);

	if (a == b)
		return before < instr;
	return a == 0 || (b != 0 && !reaches(s, f, 0, b, a));
}

/* Whose instruction is number `site` of the program? Bases grow with the functions; those without a body have the next one's. */
static uint32_t function_at(const struct scan *s, uint32_t site)
{
	uint32_t lo = 0, hi = (uint32_t)s->function_count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->functions[mid].site_base + s->functions[mid].instr_count <= site)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Is the function entered at most once in the life of the program? */
bool entered_once(struct descent *d, uint32_t f, int depth)
{
	struct scan *s = d->s;
	uint32_t site = d->call_site[f], g;

	if (depth > 30 || !site || site == UINT32_MAX)
		return false;
	site--;
	if (site == UINT32_MAX - 3)
		return !d->threads.items[0].many && f == d->threads.items[0].function;
	if (site == UINT32_MAX - 2)
		return false;
	g = function_at(s, site);
	if (g == s->function_count || !s->functions[g].defined)
		return false;
	return !instr_in_loop(s, g, s->functions[g].first_instr + (site - s->functions[g].site_base)) && entered_once(d, g, depth + 1);
}

static bool value_once(const struct scan *s, uint32_t f, uint32_t value)
{
	uint32_t instr;

	if (value < scan_function(s, f)->formal_count)
		return true;
	instr = instr_of_value(s, f, value);
	return instr != IR_NO && !instr_in_loop(s, f, instr);
}

/* ---- one object, one name --------------------------------------------------------------------------------------- */

static bool single_root(struct descent *d, path_id root)
{
	struct scan *s = d->s;
	const struct path *p = path_at(s, root);

	switch (p->kind) {
	case PATH_INT: case PATH_FIXED: case PATH_FUNCTION:
		return true;
	case PATH_GLOBAL:
		return !(linked_global(s->program, p->a)->flags & IR_G_TLS);
	case PATH_PARENT:
		return single_root(d, p->base);
	case PATH_HEAP: case PATH_VALUE: case PATH_STACK:
		return entered_once(d, p->a, 0) && (p->kind == PATH_STACK || value_once(s, p->a, p->b));
	case PATH_CALL:
		if (!entered_once(d, p->a, 0) || !value_once(s, p->a, p->b))
			return false;
		for (p = path_at(s, p->base); p->kind == PATH_CALL; p = path_at(s, p->base))
			if (!value_once(s, p->a, p->b))
				return false;
		return p->kind == PATH_STACK || value_once(s, p->a, p->b);
	default:
		return false;
	}
}

/* Nothing writes the cell while another thread may run. */
static bool stable(struct descent *d, path_id cell, bool main_side)
{
	struct scan *s = d->s;
	struct cell c = points_to_find(s, path_cell(s, cell));
	uint32_t last = IR_NO;
	unsigned writers = 0;

	if (!c.node)
		return false;
	for (uint32_t i = d->bucket[c.node]; i; i = d->accesses.items[i - 1].next) {
		const struct place_access *a = &d->accesses.items[i - 1];
		const struct event *e = descent_event(d, a->context, a->event);
		uint32_t f = d->contexts.items[a->context].function;

		if (!(e->flags & ACCESS_WRITE) || a->owned || e->flags & ACCESS_FREE)
			continue;
		if (!path_may_alias(s, a->path, e->size, cell, 8))
			continue;
		if (!threads_solo(d, a->thread, a->state))
			return false;
		writers += scan_site(s, f, e->instr) != last || instr_in_loop(s, f, e->instr);
		last = scan_site(s, f, e->instr);
	}
	return writers <= 1 || !main_side;
}

/* Can this name mean only one place? `hole` is a part that both sides have alike already. */
bool single(struct descent *d, path_id path, path_id hole, bool main_side)
{
	struct scan *s = d->s;
	const struct path *p = path_at(s, path);

	if (path == hole)
		return true;
	switch (p->kind) {
	case PATH_FIELD: return single(d, p->base, hole, main_side);
	case PATH_INDEX: return single(d, p->base, hole, main_side) && single(d, p->index, hole, main_side);
	case PATH_LOAD: return single(d, p->base, hole, main_side) && stable(d, p->base, main_side);
	default: return single_root(d, path);
	}
}

/* In words that mean the same in every thread. */
path_id in_common(struct descent *d, uint32_t thread, path_id path)
{
	struct rebind r = { .callee = IR_NO, .wrap_f = IR_NO, .parent = thread };

	return path_at(d->s, path_rebind(d->s, path, &r))->canon;
}

bool same_place(struct descent *d, uint32_t ta, path_id a, uint32_t tb, path_id b)
{
	path_id x = in_common(d, ta, a);

	return x == in_common(d, tb, b) && single(d, x, 0, ta == 0 || tb == 0);
}
