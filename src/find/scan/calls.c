/*
 * calls - who may call whom, and in which order to look at functions: callees first.
 *
 * A call through a pointer goes to the functions in the pointer's points-to class, of those with the
 * call's signature if there are any (another one would be undefined behaviour). In a kernel those
 * that pointers.c saw flow there come first: if it followed everything, the class is not asked.
 *
 * I1  What a call leads to is found once, before the workers start, and then only read.
 * I2  Too many targets of the class (TARGETS_MAX) are no answer: in a kernel what pointers.c saw is
 *     taken and the call listed; functions that nobody calls then are entries of their own.
 *
 * Components come out of Tarjan's algorithm, without recursion: call chains can be long. Within one, functions
 * are in the order in which the search left them (postorder): whoever goes through it that way meets
 * callees before their callers but for the edges that close a cycle, and needs few rounds.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

/* Signatures as numbers: equal texts have equal ones (and a collision would only keep a target too many). */
uint64_t calls_signature(const struct ir_unit *unit, uint32_t signature)
{
	uint64_t h = 0xcbf29ce484222325ull;

	if (signature == IR_NO)
		return 0;
	for (const char *c = ir_string(unit, unit->signatures[signature].text); *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3ull;
	return h;
}

void calls_signatures(struct scan *s)
{
	for (uint32_t f = 0; f < s->function_count; f++)
		s->functions[f].signature = calls_signature(scan_unit(s, f), scan_function(s, f)->signature);
}

static int by_function(const void *x, const void *y)
{
	const struct call_target *a = x, *b = y;

	return (a->function > b->function) - (a->function < b->function);
}

/* Those of a list that have the call's signature, or all if none has; how many there would be. */
static size_t fitting(struct scan *s, uint64_t signature, const uint32_t *list, size_t all, struct call_target like, struct call_target *targets)
{
	size_t count = 0, fit = 0;

	for (size_t i = 0; i < all; i++)
		fit += s->functions[list[i]].signature == signature;
	if (like.how == CALL_POINTS_TO && fit && fit < all)
		like.how = CALL_SIGNATURE;
	for (size_t i = 0; i < all && count < TARGETS_MAX; i++) {
		if (fit && s->functions[list[i]].signature != signature)
			continue;
		like.function = list[i];
		targets[count++] = like;
	}
	if (count > 1) /* in the order of the program, whatever the order of unification */
		qsort(targets, count, sizeof(*targets), by_function);
	return fit ? fit : all;
}

static size_t resolve_pointer(struct scan *s, uint32_t f, const struct ir_instr *in, struct call_target *targets)
{
	uint64_t signature = calls_signature(scan_unit(s, f), in->type);
	struct pointer_targets flow;
	bool whole = pointers_targets(s, f, in, &flow);
	struct call_target by_flow = { .how = CALL_FIELD, .type = flow.type, .field = flow.field }, by_class = { .how = CALL_POINTS_TO, .type = IR_NO };
	const uint32_t *list = NULL;
	size_t count = whole ? 0 : points_to_functions(s, points_to_operand(s, f, in->a), &list);

	if (!whole)
		count = fitting(s, signature, list, count, by_class, targets);
	if (whole || (s->pointers && count >= TARGETS_MAX)) {
		if (!whole)
			assume(s, ASSUME_UNRESOLVED_CALL, false, f, in, "a call through a pointer that may lead to %d functions or more: only those seen to flow there are followed", TARGETS_MAX);
		count = fitting(s, signature, flow.functions, flow.count, by_flow, targets);
	}
	return count < TARGETS_MAX ? count : TARGETS_MAX;
}

size_t calls_resolve(struct scan *s, uint32_t f, const struct ir_instr *in, struct call_target *targets, size_t max)
{
	size_t count = 0;

	if (ir_kind(in->a) == IR_K_FUNC) {
		targets[0] = (struct call_target){ scan_called(s, f, in), CALL_DIRECT, IR_NO, 0 };
		return 1;
	}
	for (uint32_t at = s->resolved_at[scan_site(s, f, (uint32_t)(in - scan_unit(s, f)->instrs))]; count < max &&
	     s->resolved.items[at].function != IR_NO; at++)
		targets[count++] = s->resolved.items[at];
	return count;
}

/* All calls through pointers. resolved[0] is the empty answer. */
static void resolve_all(struct scan *s)
{
	struct call_target targets[TARGETS_MAX];

	s->resolved_at = ARENA_ARRAY(&s->arena, uint32_t, s->instr_count + 1);
	VEC_PUSH(&s->resolved, (struct call_target){ .function = IR_NO });
	for (uint32_t f = 0; f < s->function_count; f++)
		for (uint32_t i = 0; s->functions[f].defined && i < s->functions[f].instr_count; i++) {
			const struct ir_instr *in = &scan_unit(s, f)->instrs[s->functions[f].first_instr + i];
			size_t count;

			if (in->op != IR_CALL || ir_kind(in->a) == IR_K_FUNC)
				continue;
			count = resolve_pointer(s, f, in, targets);
			s->resolved_at[s->functions[f].site_base + i] = (uint32_t)s->resolved.count;
			for (size_t t = 0; t < count; t++)
				VEC_PUSH(&s->resolved, targets[t]);
			VEC_PUSH(&s->resolved, (struct call_target){ .function = IR_NO });
		}
}

/* ---- the graph ------------------------------------------------------------------------------------------- */

static void add_entries(struct scan *s, uint32_t f, const struct ir_instr *in, const struct model *m, void (*edge)(void *, uint32_t), void *to)
{
	for (; m; m = m->next) {
		ir_operand o;
		const uint32_t *list;
		size_t count;
		struct cell c;

		if ((m->kind != MODEL_CALLS && m->kind != MODEL_ONCE) || m->entry < 0 || (uint32_t)m->entry >= in->size)
			continue;
		o = scan_unit(s, f)->extras[in->extra + (uint32_t)m->entry];
		c = points_to_operand(s, f, o);
		count = points_to_functions(s, c, &list);
		for (size_t i = 0; i < count; i++)
			if (s->functions[list[i]].defined)
				edge(to, list[i]);
	}
}

struct edges {
	VEC(uint32_t) list;
	size_t from;
};

static void edge(void *to, uint32_t callee)
{
	struct edges *edges = to;

	for (size_t i = edges->from; i < edges->list.count; i++)
		if (edges->list.items[i] == callee)
			return;
	VEC_PUSH(&edges->list, callee);
}

static void edges_of(struct scan *s, uint32_t f, struct edges *edges)
{
	const struct function_info *info = &s->functions[f];
	const struct ir_unit *unit = scan_unit(s, f);
	struct call_target targets[TARGETS_MAX];

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i];
		size_t count;

		if (in->op != IR_CALL)
			continue;
		count = calls_resolve(s, f, in, targets, TARGETS_MAX);
		for (size_t t = 0; t < count; t++) {
			const struct function_info *callee = &s->functions[targets[t].function];

			if (callee->defined)
				edge(edges, targets[t].function);
			else
				add_entries(s, f, in, callee->model, edge, edges);
		}
	}
}

/* ---- components --------------------------------------------------------------------------------------------- */

struct tarjan {
	uint32_t *index, *low, *stack, *frames, *next, *left;
	bool *on;
	uint32_t counter, depth, stacked, leaving;
};

static int by_leaving(const void *x, const void *y, void *left)
{
	uint32_t a = ((uint32_t *)left)[*(const uint32_t *)x], b = ((uint32_t *)left)[*(const uint32_t *)y];

	return (a > b) - (a < b);
}

static void close_component(struct scan *s, struct tarjan *t, uint32_t f, uint32_t *at)
{
	uint32_t member, first = *at;

	s->scc_first[s->scc_count] = *at;
	do {
		member = t->stack[--t->stacked];
		t->on[member] = false;
		s->functions[member].scc = s->scc_count;
		s->order[(*at)++] = member;
	} while (member != f);
	if (*at - first > 1)
		qsort_r(s->order + first, *at - first, sizeof(uint32_t), by_leaving, t->left);
	s->scc_count++;
}

static void visit(struct scan *s, struct tarjan *t, uint32_t root, uint32_t *at)
{
	t->frames[0] = root;
	t->depth = 1;
	while (t->depth) {
		uint32_t f = t->frames[t->depth - 1];

		if (!t->index[f]) {
			t->index[f] = t->low[f] = ++t->counter;
			t->stack[t->stacked++] = f;
			t->on[f] = true;
			t->next[f] = s->calls_first[f];
		}
		if (t->next[f] < s->calls_first[f + 1]) {
			uint32_t callee = s->calls[t->next[f]++];

			if (!t->index[callee])
				t->frames[t->depth++] = callee;
			else if (t->on[callee] && t->index[callee] < t->low[f])
				t->low[f] = t->index[callee];
			continue;
		}
		t->left[f] = t->leaving++;
		if (t->low[f] == t->index[f])
			close_component(s, t, f, at);
		if (--t->depth && t->low[f] < t->low[t->frames[t->depth - 1]])
			t->low[t->frames[t->depth - 1]] = t->low[f];
	}
}

static void turn_round(struct scan *s)
{
	size_t n = s->function_count;
	uint32_t *at = calloc(n + 1, sizeof(uint32_t));

	if (!at)
		BUG("out of memory");
	s->callers_first = ARENA_ARRAY(&s->arena, uint32_t, n + 2);
	s->callers = ARENA_ARRAY(&s->arena, uint32_t, s->calls_first[n] + 1);
	for (uint32_t i = 0; i < s->calls_first[n]; i++)
		s->callers_first[s->calls[i] + 1]++;
	for (size_t f = 0; f < n; f++) {
		s->callers_first[f + 1] += s->callers_first[f];
		at[f] = s->callers_first[f];
	}
	for (uint32_t f = 0; f < n; f++)
		for (uint32_t i = s->calls_first[f]; i < s->calls_first[f + 1]; i++)
			s->callers[at[s->calls[i]]++] = f;
	free(at);
}

int calls_make(struct scan *s)
{
	struct edges edges = { 0 };
	size_t n = s->function_count;
	struct tarjan t = { .index = calloc(n + 1, 4), .low = calloc(n + 1, 4), .stack = calloc(n + 1, 4), .frames = calloc(n + 1, 4),
			    .next = calloc(n + 1, 4), .left = calloc(n + 1, 4), .on = calloc(n + 1, 1) };
	uint32_t at = 0;

	if (!t.index || !t.low || !t.stack || !t.frames || !t.next || !t.left || !t.on)
		BUG("out of memory");
	resolve_all(s);
	s->calls_first = ARENA_ARRAY(&s->arena, uint32_t, n + 1);
	s->order = ARENA_ARRAY(&s->arena, uint32_t, n + 1);
	s->scc_first = ARENA_ARRAY(&s->arena, uint32_t, n + 2);
	for (uint32_t f = 0; f < n; f++) {
		s->calls_first[f] = (uint32_t)edges.list.count;
		edges.from = edges.list.count;
		if (s->functions[f].defined)
			edges_of(s, f, &edges);
	}
	s->calls_first[n] = (uint32_t)edges.list.count;
	s->calls = arena_copy(&s->arena, edges.list.items, (edges.list.count + 1) * sizeof(uint32_t) < 4 ? 4 : edges.list.count * sizeof(uint32_t));
	VEC_FREE(&edges.list);
	turn_round(s);
	for (uint32_t f = 0; f < n; f++)
		if (s->functions[f].defined && !t.index[f])
			visit(s, &t, f, &at);
	s->scc_first[s->scc_count] = at;
	free(t.index);
	free(t.low);
	free(t.stack);
	free(t.frames);
	free(t.next);
	free(t.left);
	free(t.on);
	return 0;
}
