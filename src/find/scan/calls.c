/*
 * calls - who may call whom, and in which order to look at functions: callees first.
 *
 * A call through a pointer goes to the functions in the pointer's points-to class, of those with the
 * call's signature if there are any (another one would be undefined behaviour). Narrowing
 * by the field it was read from is not done: memory can be filled otherwise.
 *
 * Components come out of Tarjan's algorithm, without recursion: call chains can be long.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"


/* Signatures as numbers: equal texts have equal ones (and a collision would only keep a target too many). */
static uint64_t signature_hash(const struct ir_unit *unit, uint32_t signature)
{
	uint64_t h = 0xcbf29ce484222325ull;

	if (signature == IR_NO)
		return 0;
	for (const char *c = ir_string(unit, unit->signatures[signature].text); *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3ull;
	return h;
}

static size_t resolve_pointer(struct scan *s, uint32_t f, const struct ir_instr *in, struct call_target *targets, size_t max)
{
	uint64_t signature = signature_hash(scan_unit(s, f), in->type);
	const uint32_t *list;
	size_t all = points_to_functions(s, points_to_operand(s, f, in->a), &list), count = 0, fit = 0;

	for (size_t i = 0; i < all; i++)
		fit += s->functions[list[i]].signature == signature;
	for (size_t i = 0; i < all && count < max; i++) {
		if (fit && s->functions[list[i]].signature != signature)
			continue;
		targets[count++] = (struct call_target){ list[i], fit < all && fit ? CALL_SIGNATURE : CALL_POINTS_TO, IR_NO, 0 };
	}
	/* In the order of the program, whatever the order of unification. */
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j > 0 && targets[j].function < targets[j - 1].function; j--) {
			struct call_target t = targets[j];

			targets[j] = targets[j - 1];
			targets[j - 1] = t;
		}
	return count;
}

size_t calls_resolve(struct scan *s, uint32_t f, const struct ir_instr *in, struct call_target *targets, size_t max)
{
	if (ir_kind(in->a) == IR_K_FUNC) {
		targets[0] = (struct call_target){ scan_callee(s, f, ir_index(in->a)), CALL_DIRECT, IR_NO, 0 };
		return 1;
	}
	return resolve_pointer(s, f, in, targets, max);
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
	struct call_target targets[256];

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i];
		size_t count;

		if (in->op != IR_CALL)
			continue;
		count = calls_resolve(s, f, in, targets, 256);
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
	uint32_t *index, *low, *stack, *frames, *next;
	bool *on;
	uint32_t counter, depth, stacked;
};

static void close_component(struct scan *s, struct tarjan *t, uint32_t f, uint32_t *at)
{
	uint32_t member;

	s->scc_first[s->scc_count] = *at;
	do {
		member = t->stack[--t->stacked];
		t->on[member] = false;
		s->functions[member].scc = s->scc_count;
		s->order[(*at)++] = member;
	} while (member != f);
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
		if (t->low[f] == t->index[f])
			close_component(s, t, f, at);
		if (--t->depth && t->low[f] < t->low[t->frames[t->depth - 1]])
			t->low[t->frames[t->depth - 1]] = t->low[f];
	}
}

int calls_make(struct scan *s)
{
	struct edges edges = { 0 };
	size_t n = s->function_count;
	struct tarjan t = { .index = calloc(n + 1, 4), .low = calloc(n + 1, 4), .stack = calloc(n + 1, 4), .frames = calloc(n + 1, 4),
			    .next = calloc(n + 1, 4), .on = calloc(n + 1, 1) };
	uint32_t at = 0;

	if (!t.index || !t.low || !t.stack || !t.frames || !t.next || !t.on)
		BUG("out of memory");
	for (uint32_t f = 0; f < n; f++)
		s->functions[f].signature = signature_hash(scan_unit(s, f), scan_function(s, f)->signature);
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
	for (uint32_t f = 0; f < n; f++)
		if (s->functions[f].defined && !t.index[f])
			visit(s, &t, f, &at);
	s->scc_first[s->scc_count] = at;
	free(t.index);
	free(t.low);
	free(t.stack);
	free(t.frames);
	free(t.next);
	free(t.on);
	return 0;
}
