/*
 * wrappers - a function that hands out what it allocates is looked at anew for each place that calls it.
 *
 * Points-to knows an object by the instruction that allocates it. Behind xmalloc() that is one
 * instruction for the whole program: every structure would be laid over every other. So each direct
 * call of such a function but the first gets a copy of it: the same instructions, but values, objects
 * and places of its own (a row in s->functions; linked.h: a function without a symbol).
 *
 *     first  ──► xmalloc              calls_of(first)  = xmalloc
 *     second ──► xmalloc' (a copy)    calls_of(second) = xmalloc', inside: a copy of what it wraps
 *
 * I1  A copy is what inlining would give, so nothing has to be proved of the wrapper to copy it: one
 *     that also keeps its objects in a list stores copies of them in that one list, and points-to
 *     unites them there.
 * I2  The first call keeps the function itself, so that a function somebody calls is still called.
 * I3  Copies end: LEVELS deep, WRAPPER_MAX instructions each, COPIES_MAX and a share of the program in
 *     all, level by level, so that the innermost of many are not copied, which only costs precision.
 * I4  Pairs are told by place in the source (scan_place), where copies are one.
 *
 * Not in a kernel: there the allocators are models, and size comes first.
 */
#include <stdlib.h>

#include "find/scan/intern.h"

#define LEVELS 3           /* xstrdup calls xmalloc calls malloc: two and one to spare */
#define WRAPPER_MAX 100    /* instructions of a function that is copied; pigz's largest has 61 */
#define COPIES_MAX 4096
#define SHARE 2            /* copies have at most a SHARE-th of the program's instructions, and ROOM at least */
#define ROOM 8000

struct wrappers {
	struct scan *s;
	uint8_t *level;            /* per function with a symbol: calls between it and the allocation; 0: hands nothing out */
	bool *fills;               /* ... by storing it where the caller said */
	bool *called;              /* has kept its first call */
	VEC(uint32_t) depth;       /* per copy */
	size_t instrs;             /* of all copies */
};

static bool allocates(const struct function_info *callee)
{
	for (const struct model *m = callee->defined ? NULL : callee->model; m; m = m->next)
		if (m->kind == MODEL_ALLOC || (m->kind == MODEL_FREE && m->copy_to == MODEL_RESULT))
			return true;
	return false;
}

/* How far from the allocation is what this value holds? 0: it is not a fresh object. */
static unsigned level_of(const struct wrappers *w, uint32_t f, const struct ir_instr **def, ir_operand o, int steps)
{
	const struct scan *s = w->s;
	const struct ir_instr *in = ir_kind(o) == IR_K_VALUE ? def[ir_index(o)] : NULL;
	unsigned most = 0, level;
	uint32_t callee;

	if (!in || steps > 8)
		return 0;
	switch (in->op) {
	case IR_CALL:
		if (ir_kind(in->a) != IR_K_FUNC)
			return 0;
		callee = scan_callee(s, f, ir_index(in->a));
		if (allocates(&s->functions[callee]))
			return 1;
		return w->level[callee] ? w->level[callee] + 1u : 0;
	case IR_COPY: case IR_FIELD:
		return level_of(w, f, def, in->a, steps + 1);
	case IR_SELECT:
		most = level_of(w, f, def, in->b, steps + 1);
		level = level_of(w, f, def, in->c, steps + 1);
		return level > most ? level : most;
	case IR_PHI:
		for (uint32_t i = 1; i < in->size; i += 2) {
			level = level_of(w, f, def, scan_unit(s, f)->extras[in->extra + i], steps + 1);
			most = level > most ? level : most;
		}
		return most;
	default:
		return 0;
	}
}

static bool is_formal(const struct wrappers *w, uint32_t f, const struct ir_instr **def, ir_operand o)
{
	for (int steps = 0; steps < 8 && ir_kind(o) == IR_K_VALUE; steps++) {
		const struct ir_instr *in = def[ir_index(o)];

		if (ir_index(o) < scan_function(w->s, f)->formal_count)
			return true;
		if (!in || (in->op != IR_FIELD && in->op != IR_COPY))
			return false;
		o = in->a;
	}
	return false;
}

/* A call to another wrapper that is told where to put it by our own caller. */
static unsigned level_of_call(const struct wrappers *w, uint32_t f, const struct ir_instr **def, const struct ir_instr *in)
{
	uint32_t callee = ir_kind(in->a) == IR_K_FUNC ? scan_callee(w->s, f, ir_index(in->a)) : IR_NO;

	if (callee == IR_NO || !w->fills[callee])
		return 0;
	for (uint32_t i = 0; i < in->size; i++)
		if (is_formal(w, f, def, scan_unit(w->s, f)->extras[in->extra + i]))
			return w->level[callee] + 1u;
	return 0;
}

/* Returned, or stored where the caller said (fills). */
static unsigned level_of_function(struct wrappers *w, uint32_t f, const struct ir_instr **def, bool *fills)
{
	const struct function_info *info = &w->s->functions[f];
	const struct ir_instr *instrs = scan_unit(w->s, f)->instrs + info->first_instr;
	unsigned most = 0, level;

	for (uint32_t i = 0; i < info->instr_count; i++)
		if (instrs[i].dst != IR_NO)
			def[instrs[i].dst] = &instrs[i];
	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &instrs[i];

		level = in->op == IR_RET ? level_of(w, f, def, in->a, 0) : 0;
		if (in->op == IR_STORE && is_formal(w, f, def, in->a))
			level = level_of(w, f, def, in->b, 0);
		if (in->op == IR_CALL)
			level = level_of_call(w, f, def, in);
		*fills |= level && in->op != IR_RET;
		most = level > most ? level : most;
	}
	return most;
}

/* Who hands out what was allocated, itself (level 1) or by another one. */
static void find_wrappers(struct wrappers *w)
{
	struct scan *s = w->s;

	for (unsigned level = 1; level <= LEVELS; level++) {
		for (uint32_t f = 0; f < s->program->symbol_count; f++) {
			const struct function_info *info = &s->functions[f];
			struct arena arena = ARENA_INIT;
			bool fills = false;

			if (w->level[f] || !info->defined || info->instr_count > WRAPPER_MAX || scan_function(s, f)->constructor)
				continue;
			if (level_of_function(w, f, ARENA_ARRAY(&arena, const struct ir_instr *, scan_function(s, f)->value_count + 1), &fills) == level) {
				w->level[f] = (uint8_t)level;
				w->fills[f] = fills;
			}
			arena_free(&arena);
		}
	}
}

/* A call is about to be given a copy: is there room, and is it not of the same function again? */
static bool may_copy(const struct wrappers *w, uint32_t caller, uint32_t callee)
{
	const struct scan *s = w->s;
	size_t room = s->instr_count / SHARE > ROOM ? s->instr_count / SHARE : ROOM;

	if (caller >= s->program->symbol_count && w->depth.items[caller - s->program->symbol_count] >= LEVELS)
		return false;
	return s->functions[caller].original != callee && w->depth.count < COPIES_MAX && w->instrs + s->functions[callee].instr_count <= room;
}

static void copy(struct wrappers *w, uint32_t caller, uint32_t site, uint32_t callee)
{
	struct scan *s = w->s;
	uint32_t made = (uint32_t)s->function_count;
	uint32_t depth = caller < s->program->symbol_count ? 1 : w->depth.items[caller - s->program->symbol_count] + 1;

	VEC_PUSH(&w->depth, depth);
	w->instrs += s->functions[callee].instr_count;
	functions_add(s, s->program->functions[callee], callee);
	VEC_PUSH(&s->copies, ((struct copied_call){ site, made }));
}

static void copy_calls(struct wrappers *w, uint32_t f)
{
	struct scan *s = w->s;

	for (uint32_t i = 0; i < s->functions[f].instr_count; i++) {
		const struct ir_instr *in = &scan_unit(s, f)->instrs[s->functions[f].first_instr + i];
		uint32_t callee;

		if (in->op != IR_CALL || ir_kind(in->a) != IR_K_FUNC)
			continue;
		callee = scan_callee(s, f, ir_index(in->a));
		if (callee >= s->program->symbol_count || !w->level[callee])
			continue;
		if (!w->called[callee])
			w->called[callee] = true;
		else if (may_copy(w, f, callee))
			copy(w, f, s->functions[f].site_base + i, callee);
	}
}

void wrappers_copy(struct scan *s)
{
	struct wrappers w = { .s = s };

	w.level = calloc(s->function_count + 1, 1);
	w.fills = calloc(s->function_count + 1, 1);
	w.called = calloc(s->function_count + 1, 1);
	if (!w.level || !w.fills || !w.called)
		BUG("out of memory");
	find_wrappers(&w);
	for (uint32_t f = 0; f < s->function_count; f++) /* copies come at the end and are looked at, too */
		if (s->functions[f].defined)
			copy_calls(&w, f);
	free(w.level);
	free(w.fills);
	free(w.called);
	VEC_FREE(&w.depth);
}

uint32_t wrappers_callee(const struct scan *s, uint32_t site, uint32_t callee)
{
	size_t lo = 0, hi = s->copies.count;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->copies.items[mid].site < site)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->copies.count && s->copies.items[lo].site == site ? s->copies.items[lo].function : callee;
}
