/*
 * loops - the order of blocks, and loops that count: for (i = init; i < bound; i++).
 *
 * Threads are created and joined by such loops. What the rest wants to know: the counter's first
 * value, its bound, whether every turn comes by an instruction, and whether the test at the head is
 * the only way out (only then has a loop that joins t[i] joined them all).
 *
 * I1  A loop is its header (target of an edge that goes back in reverse postorder) and the blocks
 *     from which that edge's source is reached without passing the header.
 * I2  `counted` is only said of a counter that starts at a constant and grows by one.
 */
#include <string.h>

#include "find/scan/intern.h"

static const struct ir_instr *terminator(const struct work *w, uint32_t block)
{
	const struct ir_block *b = &w->unit->blocks[w->function->first_block + block];

	return &w->unit->instrs[b->first + b->count - 1];
}

/* Block i of the ways out of a block; IR_NO: no more. */
uint32_t block_successor(const struct work *w, uint32_t block, size_t i)
{
	const struct ir_instr *t = terminator(w, block);

	if (t->op == IR_BR)
		return i < t->size ? w->unit->extras[t->extra + i] : IR_NO;
	if (t->op == IR_SWITCH) {
		size_t at = i ? 2 * i : 0;

		return at < t->size ? w->unit->extras[t->extra + at] : IR_NO;
	}
	return IR_NO;
}

void blocks_order(struct work *w)
{
	uint32_t n = w->function->block_count, depth = 0, left = n;
	uint32_t *stack = ARENA_ARRAY(&w->arena, uint32_t, n + 1), *next = ARENA_ARRAY(&w->arena, uint32_t, n + 1);
	bool *seen = ARENA_ARRAY(&w->arena, bool, n + 1);
	uint32_t *order = ARENA_ARRAY(&w->arena, uint32_t, n + 1);

	w->position = ARENA_ARRAY(&w->arena, uint32_t, n + 1);
	memset(w->position, 0xff, (n + 1) * sizeof(uint32_t));
	stack[depth++] = 0;
	seen[0] = true;
	while (depth) {
		uint32_t block = stack[depth - 1], to = block_successor(w, block, next[block]++);

		if (to == IR_NO) {
			order[--left] = block;
			depth--;
		} else if (!seen[to]) {
			seen[to] = true;
			stack[depth++] = to;
		}
	}
	w->rpo = order + left;
	w->rpo_count = n - left;
	for (uint32_t i = 0; i < w->rpo_count; i++)
		w->position[w->rpo[i]] = i;
}

/* ---- loops ------------------------------------------------------------------------------------------------ */

/* Blocks that reach the header's back edges without passing it. */
static void fill_body(const struct work *w, struct loop *loop)
{
	bool grown = true;

	loop->body[loop->header] = true;
	for (uint32_t b = 0; b < w->function->block_count; b++) /* sources of back edges */
		for (size_t i = 0; w->position[b] != IR_NO; i++) {
			uint32_t to = block_successor(w, b, i);

			if (to == IR_NO)
				break;
			if (to == loop->header && w->position[b] >= w->position[to])
				loop->body[b] = true;
		}
	while (grown) {
		grown = false;
		for (uint32_t k = w->rpo_count; k-- > 0;) {
			uint32_t b = w->rpo[k];

			if (loop->body[b] || k < w->position[loop->header])
				continue;
			for (size_t i = 0;; i++) {
				uint32_t to = block_successor(w, b, i);

				if (to == IR_NO)
					break;
				if (to != loop->header && loop->body[to])
					grown |= loop->body[b] = true;
			}
		}
	}
}

bool constant_of(const struct work *w, ir_operand o, int64_t *value)
{
	if (ir_kind(o) == IR_K_NULL)
		return *value = 0, true;
	if (ir_kind(o) != IR_K_CONST || ir_kind(w->unit->constants[ir_index(o)].base) != IR_K_NONE)
		return false;
	*value = w->unit->constants[ir_index(o)].value;
	return true;
}

static const struct ir_instr *through_copies(const struct work *w, ir_operand o, uint32_t *value)
{
	const struct ir_instr *def = NULL;

	while (ir_kind(o) == IR_K_VALUE) {
		*value = ir_index(o);
		def = w->def[ir_index(o)];
		if (!def || def->op != IR_COPY || def->sub == IR_COPY_TRUNC)
			break;
		o = def->a;
	}
	return def;
}

/* phi of the header that grows by one each turn. */
static bool is_counter(const struct work *w, const struct loop *loop, const struct ir_instr *phi, int64_t *init, bool *known)
{
	bool stepped = false;

	*known = true;
	for (uint32_t i = 0; i + 1 < phi->size; i += 2) {
		uint32_t from = w->unit->extras[phi->extra + i], value = IR_NO;
		ir_operand o = w->unit->extras[phi->extra + i + 1];
		int64_t by;

		if (loop->body[from]) {
			const struct ir_instr *step = ir_kind(o) == IR_K_VALUE ? w->def[ir_index(o)] : NULL;

			if (!step || step->op != IR_ARITH || step->sub != IR_A_ADD || !constant_of(w, step->b, &by) || by != 1)
				return false;
			through_copies(w, step->a, &value);
			if (value != phi->dst)
				return false;
			stepped = true;
		} else if (!constant_of(w, o, init))
			*known = false;
	}
	return stepped;
}

static bool only_exit(const struct work *w, const struct loop *loop)
{
	for (uint32_t b = 0; b < w->function->block_count; b++) {
		if (!loop->body[b] || b == loop->header)
			continue;
		if (terminator(w, b)->op == IR_RET)
			return false;
		for (size_t i = 0;; i++) {
			uint32_t to = block_successor(w, b, i);

			if (to == IR_NO)
				break;
			if (!loop->body[to] && terminator(w, to)->op != IR_STOP)
				return false;
		}
	}
	return true;
}

static void find_counter(struct work *w, struct loop *loop)
{
	const struct ir_block *b = &w->unit->blocks[w->function->first_block + loop->header];
	const struct ir_instr *t = terminator(w, loop->header), *test;
	uint32_t value = IR_NO;
	int64_t hi;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct ir_instr *in = &w->unit->instrs[b->first + i];

		if (in->op != IR_PHI)
			break;
		if (is_counter(w, loop, in, &loop->init, &loop->init_known)) {
			loop->value = in->dst;
			break;
		}
	}
	if (loop->value == IR_NO || !loop->init_known || t->op != IR_BR || t->size != 2 || ir_kind(t->a) != IR_K_VALUE)
		return;
	test = w->def[ir_index(t->a)];
	if (!test || test->op != IR_COMPARE || !loop->body[w->unit->extras[t->extra]] || loop->body[w->unit->extras[t->extra + 1]])
		return;
	through_copies(w, test->a, &value);
	if (value != loop->value || (test->sub != IR_C_LT && test->sub != IR_C_NE && test->sub != IR_C_LE))
		return;
	if (constant_of(w, test->b, &hi))
		loop->hi = hi + (test->sub == IR_C_LE);
	else if (test->sub == IR_C_LE)
		return;
	else
		loop->bound = symbolic_operand(w, test->b);
	if (loop->bound && path_at(w->s, loop->bound)->kind == PATH_INT) {
		loop->hi = path_at(w->s, loop->bound)->off;
		loop->bound = 0;
	}
	loop->ranged = true;
	loop->counted = only_exit(w, loop);
}

void loops_find(struct work *w)
{
	uint32_t n = w->function->block_count;
	VEC(struct loop) loops = { 0 };

	w->loop_of = ARENA_ARRAY(&w->arena, uint32_t, n + 1);
	memset(w->loop_of, 0xff, (n + 1) * sizeof(uint32_t));
	for (uint32_t k = 0; k < w->rpo_count; k++) {
		uint32_t b = w->rpo[k];

		for (size_t i = 0;; i++) {
			uint32_t to = block_successor(w, b, i);
			bool known = false;

			if (to == IR_NO)
				break;
			if (w->position[to] > k)
				continue;
			for (size_t j = 0; j < loops.count; j++)
				known |= loops.items[j].header == to;
			if (!known)
				VEC_PUSH(&loops, (struct loop){ .header = to, .value = IR_NO });
		}
	}
	w->loop_count = loops.count;
	if (loops.count)
		w->loops = arena_copy(&w->arena, loops.items, loops.count * sizeof(struct loop));
	VEC_FREE(&loops);
	for (size_t i = 0; i < w->loop_count; i++) {
		w->loops[i].body = ARENA_ARRAY(&w->arena, bool, n + 1);
		fill_body(w, &w->loops[i]);
		for (uint32_t b = 0; b < n; b++)
			w->loops[i].size += w->loops[i].body[b];
		find_counter(w, &w->loops[i]);
	}
	for (uint32_t b = 0; b < n; b++)
		for (size_t i = 0; i < w->loop_count; i++)
			if (w->loops[i].body[b] && (w->loop_of[b] == IR_NO || w->loops[i].size < w->loops[w->loop_of[b]].size))
				w->loop_of[b] = (uint32_t)i;
}

/* Without the block, does the loop come round? */
bool loop_every_turn(const struct work *w, const struct loop *loop, uint32_t block)
{
	uint32_t n = w->function->block_count, count = 0;
	bool seen[n + 1];
	uint32_t list[n + 1];

	if (block == loop->header)
		return true;
	memset(seen, 0, sizeof(seen));
	list[count++] = loop->header;
	for (uint32_t k = 0; k < count; k++)
		for (size_t i = 0;; i++) {
			uint32_t to = block_successor(w, list[k], i);

			if (to == IR_NO)
				break;
			if (to == block || !loop->body[to])
				continue;
			if (to == loop->header)
				return false;
			if (!seen[to])
				seen[to] = true, list[count++] = to;
		}
	return true;
}

/* A fact about element [counter]: about all of them, then. */
bool loop_range(struct work *w, const struct loop *loop, struct fact *fact)
{
	path_id counter = path_plain(w->s, PATH_VALUE, w->f, loop->value), any, base;
	const struct path *p, *cell;

	if (loop->value == IR_NO || !loop->ranged || !fact->path || fact->hi || fact->bound)
		return false;
	any = path_any_index(w->s, fact->path, counter);
	if (any == fact->path || path_mentions(w->s, any, w->f, loop->value))
		return false;
	fact->path = any;
	fact->lo = loop->init;
	fact->hi = loop->bound ? 0 : loop->hi;
	fact->bound = loop->bound;
	/* t[4 + i]: counted from the beginning of t, so that a loop over all of t meets it. */
	p = path_at(w->s, any);
	cell = path_at(w->s, p->base);
	base = p->kind == PATH_LOAD && cell->kind == PATH_INDEX && cell->index == w->s->any ? cell->base : 0;
	if (base && !fact->bound && path_at(w->s, base)->kind == PATH_FIELD && path_at(w->s, base)->off % cell->off == 0) {
		fact->lo += path_at(w->s, base)->off / cell->off;
		fact->hi += path_at(w->s, base)->off / cell->off;
		fact->path = path_load(w->s, path_index(w->s, path_at(w->s, base)->base, cell->off, w->s->any), IR_NO, 0);
	}
	return true;
}

static void join_fact(struct work *w, const struct loop *loop, struct fact fact, facts_id *state)
{
	if (loop_range(w, loop, &fact))
		*state = facts_join(w->s, *state, fact, true); /* not what the loop itself created */
}

/* The loop has come to its end by its test: every turn's joins have happened. */
void loop_joins(struct work *w, const struct loop *loop, facts_id *state)
{
	if (!loop->counted)
		return;
	for (uint32_t b = 0; b < w->function->block_count; b++) {
		const struct ir_block *block = &w->unit->blocks[w->function->first_block + b];

		if (!loop->body[b] || w->position[b] == IR_NO)
			continue;
		for (uint32_t i = 0; i < block->count; i++) {
			const struct ir_instr *in = &w->unit->instrs[block->first + i];
			struct fact facts[8];
			size_t count = in->op == IR_CALL ? effects_joins(w, in, facts, 8) : 0;

			if (count && loop_every_turn(w, loop, b))
				for (size_t j = 0; j < count; j++)
					join_fact(w, loop, facts[j], state);
		}
	}
}
