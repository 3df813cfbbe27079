/*
 * flow - the state at every point of one function, its summary, and in the last round its events.
 *
 * A block's state is a few ways of getting there: ways.h.
 *
 * I1  Forward, to a fixed point: must facts only shrink, may facts only grow.
 * I2  Every use of a pointer that is not plainly an address, a comparison or an argument lets its
 *     object escape: whoever else reads it could be another thread.
 * I3  A function that eats up its budget keeps what it has, is marked, and listed as not sound.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"
#include "find/scan/ways.h"

struct flow {
	struct work *w;
	struct ways *in;
	bool *dirty;
	facts_id exit[2];
	bool cut;
};

/* ---- conditions ------------------------------------------------------------------------------------------- */

/* A flag was seen set: what was written before it was set has happened. */
static facts_id seen(struct flow *flow, facts_id state, uint32_t value)
{
	struct work *w = flow->w;
	const struct ir_instr *def = w->def[value];
	enum ir_order order;
	path_id flag;

	if (w->s->large || !def || def->op != IR_LOAD || !w->load_state[value])
		return state;
	order = ir_order_of(def->flags);
	flag = symbolic_operand(w, def->a);
	if (path_at(w->s, path_at(w->s, flag)->root)->kind == PATH_CLASS)
		return state;
	if (def->flags & IR_F_ATOMIC && (order == IR_ORDER_ACQUIRE || order == IR_ORDER_SEQ_CST || order == IR_ORDER_ACQ_REL))
		state = facts_add(w->s, state, (struct fact){ .kind = FACT_SEEN, .path = flag });
	else if (def->flags & IR_F_ATOMIC)
		state = facts_add(w->s, state, (struct fact){ .kind = FACT_SEEN, .path = flag, .mode = 1 });
	for (uint32_t i = 0; i < facts_at(w->s, w->load_state[value])->count; i++) {
		const struct fact *f = &facts_at(w->s, w->load_state[value])->items[i];

		if (f->kind == FACT_HELD && !f->old)
			state = facts_add(w->s, state, (struct fact){ .kind = FACT_SEEN, .path = flag, .bound = f->path });
	}
	return state;
}

/* ---- one instruction ------------------------------------------------------------------------------------------ */

static facts_id escape_operand(struct work *w, facts_id state, ir_operand o)
{
	path_id path;

	if (ir_kind(o) != IR_K_VALUE || !state)
		return state;
	path = symbolic_operand(w, o);
	return path_cell(w->s, path).node ? facts_escape(w->s, state, path) : state;
}

static facts_id store_escapes(struct work *w, const struct ir_instr *in, facts_id state, ir_operand value)
{
	path_id to = symbolic_operand(w, in->a), from = symbolic_operand(w, value);

	if (path_at(w->s, to)->root == path_at(w->s, from)->root)
		return state; /* into itself: a list that is empty */
	return escape_operand(w, state, value);
}

static facts_id store_sets(struct work *w, const struct ir_instr *in, facts_id state, ir_operand value)
{
	int64_t k;
	path_id to = symbolic_operand(w, in->a);
	const struct path *root = path_at(w->s, path_at(w->s, to)->root);

	if (w->s->large || in->size > 8 || root->kind == PATH_STACK || root->kind == PATH_INT || (constant_of(w, value, &k) && !k))
		return state;
	return facts_add(w->s, state, (struct fact){ .kind = FACT_SET, .path = to });
}

static unsigned access_flags(const struct ir_instr *in)
{
	return (in->flags & IR_F_ATOMIC ? ACCESS_ATOMIC : 0) | (in->flags & IR_F_VOLATILE ? ACCESS_VOLATILE : 0);
}

static uint32_t range_size(const struct ir_instr *in)
{
	return in->imm > 0 && in->imm < INT32_MAX ? (uint32_t)in->imm : UINT32_MAX;
}

/* Intrinsics that nobody described may do anything to their pointers; these do nothing. */
static bool touches_memory(const char *what)
{
	static const char *const harmless[] = { "va_", "lifetime", "dbg", "assume", "objectsize", "prefetch", "stack", "expect", "launder", "strip",
						"frame", "return", "is.constant", "ptr", "invariant", "threadlocal", "annotation", "var.annotation", "trap", "eh.", "experimental.noalias" };

	if (strncmp(what, "llvm.", 5))
		return false;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (!strncmp(what + 5, harmless[i], strlen(harmless[i])))
			return false;
	return true;
}

/* The state after an instruction other than a call. */
static facts_id step(struct flow *flow, const struct ir_instr *in, uint32_t block, facts_id state)
{
	struct work *w = flow->w;
	const uint32_t *extras = w->unit->extras + in->extra;
	int64_t zero;

	if (in->dst != IR_NO)
		state = facts_redefine(w->s, state, w->f, in->dst);
	switch (in->op) {
	case IR_ALLOCA:
		return facts_add(w->s, facts_drop(w->s, state, FACT_OWN, w->values[in->dst]),
				 (struct fact){ .kind = FACT_OWN, .path = w->values[in->dst] });
	case IR_LOAD:
		w->load_state[in->dst] = facts_meet(w->s, w->load_state[in->dst], state);
		event_access(w, in, state, symbolic_operand(w, in->a), access_flags(in) | ACCESS_READ, in->size);
		return state;
	case IR_STORE:
		event_access(w, in, state, symbolic_operand(w, in->a), access_flags(in) | ACCESS_WRITE, in->size);
		if (w->final && w->events.count && w->events.items[w->events.count - 1].instr == (uint32_t)(in - w->unit->instrs))
			w->events.items[w->events.count - 1].value = symbolic_operand(w, in->b);
		if (in->flags & IR_F_ATOMIC && constant_of(w, in->b, &zero) && !zero)
			state = facts_release(w->s, state, symbolic_operand(w, in->a)); /* a spin lock, perhaps */
		return store_sets(w, in, store_escapes(w, in, state, in->b), in->b);
	case IR_FENCE:
		return fence(w->s, state, ir_order_of(in->flags));
	case IR_RMW:
	case IR_CMPXCHG:
		event_access(w, in, state, symbolic_operand(w, in->a), access_flags(in) | ACCESS_READ, in->size);
		event_access(w, in, state, symbolic_operand(w, in->a), access_flags(in) | ACCESS_WRITE, in->size);
		state = store_escapes(w, in, state, in->op == IR_RMW ? in->b : in->c);
		return store_sets(w, in, state, in->op == IR_RMW ? ir_make(IR_K_NONE, 0) : in->c);
	case IR_MEMCPY:
		event_access(w, in, state, symbolic_operand(w, in->c), access_flags(in) | ACCESS_READ | ACCESS_RANGE, range_size(in));
		event_access(w, in, state, symbolic_operand(w, in->a), access_flags(in) | ACCESS_WRITE | ACCESS_RANGE, range_size(in));
		return state;
	case IR_MEMSET:
		event_access(w, in, state, symbolic_operand(w, in->a), access_flags(in) | ACCESS_WRITE | ACCESS_RANGE, range_size(in));
		return state;
	case IR_PHI:
		return state; /* on the edges */
	case IR_SELECT:
		if (w->values[in->dst] == path_plain(w->s, PATH_VALUE, w->f, in->dst)) {
			state = escape_operand(w, state, in->b);
			state = escape_operand(w, state, in->c);
		}
		return state;
	case IR_ARITH: case IR_EXTRACT:
		if (in->sub == IR_A_SUB && in->op == IR_ARITH && points_to_value(w->s, w->f, in->dst).node == 0)
			return state;
		return escape_operand(w, escape_operand(w, state, in->a), in->op == IR_ARITH ? in->b : ir_make(IR_K_NONE, 0));
	case IR_OPAQUE:
		for (uint32_t i = 0; i < in->size; i++) {
			state = escape_operand(w, state, extras[i]);
			if (w->final && touches_memory(ir_string(w->unit, (uint32_t)in->imm)) && path_cell(w->s, symbolic_operand(w, extras[i])).node) {
				event_access(w, in, state, symbolic_operand(w, extras[i]), ACCESS_READ | ACCESS_RANGE, UINT32_MAX);
				event_access(w, in, state, symbolic_operand(w, extras[i]), ACCESS_WRITE | ACCESS_RANGE, UINT32_MAX);
			}
		}
		return state;
	case IR_ASM:
		effects_asm(w, in, block, state, &state);
		return state;
	default:
		return state;
	}
}

static bool is_constant(const struct ir_unit *unit, ir_operand o, bool nonzero)
{
	if (ir_kind(o) == IR_K_NULL)
		return !nonzero;
	if (ir_kind(o) != IR_K_CONST || ir_kind(unit->constants[ir_index(o)].base) != IR_K_NONE)
		return false;
	return (unit->constants[ir_index(o)].value != 0) == nonzero;
}

bool takes_flag(const struct ir_unit *unit, const struct ir_instr *in)
{
	enum ir_order order = ir_order_of(in->flags);

	if (!(in->flags & IR_F_ATOMIC) || (order != IR_ORDER_ACQUIRE && order != IR_ORDER_ACQ_REL && order != IR_ORDER_SEQ_CST))
		return false;
	if (in->op == IR_RMW)
		return (in->sub == IR_R_XCHG || in->sub == IR_R_OR) && is_constant(unit, in->b, true);
	return in->op == IR_CMPXCHG && in->flags & IR_F_SUCCESS && is_constant(unit, in->b, false) && is_constant(unit, in->c, true);
}

/* test-and-set and compare-and-swap: held on the way where it was free. */
static void flag_ways(struct flow *flow, const struct ir_instr *in, struct ways *ways)
{
	struct work *w = flow->w;
	path_id flag = symbolic_operand(w, in->a);
	struct ways out = { 0 };

	if (in->dst == IR_NO || !takes_flag(w->unit, in) || path_at(w->s, path_at(w->s, flag)->root)->kind == PATH_CLASS)
		return;
	for (uint32_t i = 0; i < ways->count; i++)
		for (int nonzero = 0; nonzero < 2; nonzero++) {
			struct way way = ways->way[i];

			way_learn(&way, in->dst, nonzero);
			if (nonzero == (in->op == IR_CMPXCHG))
				way.state = facts_add(w->s, way.state, (struct fact){ .kind = FACT_HELD, .path = flag, .mode = LOCK_WRITE, .old = HELD_FLAG });
			ways_add(w->s, &out, &way);
		}
	*ways = out;
}

/* What this way says of formals: the caller may know better. */
static void set_conditions(struct work *w, const struct way *way)
{
	w->conditions = 0;
	for (uint32_t i = 0; i < way->count && w->conditions < 2; i++)
		if (way->known[i].value < w->function->formal_count && way->known[i].value < UINT16_MAX) {
			w->condition[w->conditions].formal = (uint16_t)way->known[i].value;
			w->condition[w->conditions++].nonzero = way->known[i].nonzero;
		}
}

/* One way at a time, so that each keeps its locks; in large programs what all ways agree on. */
static void to_record(struct work *w, const struct ways *ways, struct ways *out)
{
	*out = *ways;
	if (!w->s->large || ways->count < 2)
		return;
	for (uint32_t i = 1; i < ways->count; i++) {
		out->way[0].state = facts_meet(w->s, out->way[0].state, ways->way[i].state);
		way_keep_common(&out->way[0], &ways->way[i]);
	}
	out->count = 1;
}

static void call_ways(struct flow *flow, const struct ir_instr *in, uint32_t block, struct ways *ways)
{
	struct work *w = flow->w;
	struct ways out = { 0 };

	if (w->final) {
		struct ways each;
		facts_id after[2];

		to_record(w, ways, &each);
		for (uint32_t i = 0; i < each.count; i++) {
			set_conditions(w, &each.way[i]);
			effects_call(w, in, block, in->dst == IR_NO ? each.way[i].state : facts_redefine(w->s, each.way[i].state, w->f, in->dst), after);
		}
		w->final = false;
	}
	for (uint32_t i = 0; i < ways->count; i++) {
		struct way way = ways->way[i];
		facts_id after[2];

		if (in->dst != IR_NO) {
			way.state = facts_redefine(w->s, way.state, w->f, in->dst);
			way_forget(&way, in->dst);
		}
		effects_call(w, in, block, way.state, after);
		if (after[0] == after[1] || in->dst == IR_NO || !w->used[in->dst]) {
			way.state = facts_meet(w->s, after[0], after[1]);
			ways_add(w->s, &out, &way);
			continue;
		}
		for (int nonzero = 0; nonzero < 2; nonzero++) {
			struct way split = way;

			split.state = after[nonzero];
			way_learn(&split, in->dst, nonzero);
			ways_add(w->s, &out, &split);
		}
	}
	*ways = out;
}

/* ---- one block ---------------------------------------------------------------------------------------------------- */

static void to_phis(struct flow *flow, uint32_t from, uint32_t to, struct way *way)
{
	struct work *w = flow->w;
	const struct ir_block *b = &w->unit->blocks[w->function->first_block + to];
	struct way old = *way;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct ir_instr *in = &w->unit->instrs[b->first + i];

		if (in->op != IR_PHI)
			break;
		way_forget(way, in->dst);
		for (uint32_t j = 0; j + 1 < in->size; j += 2) {
			ir_operand o = w->unit->extras[in->extra + j + 1];
			int64_t k;

			if (w->unit->extras[in->extra + j] != from)
				continue;
			if (ir_kind(o) == IR_K_NULL || (constant_of(w, o, &k)))
				way_learn(way, in->dst, ir_kind(o) != IR_K_NULL && k);
			else if (is_address(w, o))
				way_learn(way, in->dst, true);
			else if (ir_kind(o) == IR_K_VALUE && way_knows(&old, ir_index(o)) >= 0)
				way_learn(way, in->dst, way_knows(&old, ir_index(o)));
			if (ir_kind(o) == IR_K_VALUE && w->values[in->dst] != symbolic_operand(w, o))
				way->state = escape_operand(w, way->state, o);
			break;
		}
	}
}

static void along(struct flow *flow, uint32_t from, uint32_t to, struct way way, struct ways *out)
{
	struct work *w = flow->w;

	for (size_t i = 0; i < w->loop_count; i++) {
		const struct loop *loop = &w->loops[i];

		if (loop->header == to && !loop->body[from])
			way.state = facts_age(w->s, way.state);
		if (loop->header == from && !loop->body[to])
			loop_joins(w, loop, &way.state);
	}
	to_phis(flow, from, to, &way);
	ways_add(w->s, out, &way);
}

static void branch(struct flow *flow, const struct ir_instr *in, uint32_t block, const struct ways *ways, int which, struct ways *out)
{
	uint32_t to = flow->w->unit->extras[in->extra + (which ? 0 : 1)];
	struct meaning m;
	bool says = meaning_of(flow->w, in->a, &m, true) && m.said[which];

	for (uint32_t i = 0; i < ways->count; i++) {
		struct way way = ways->way[i];

		if (says) {
			int now = way_knows(&way, m.value);

			if (now >= 0 && now != m.nonzero[which])
				continue;
			way_learn(&way, m.value, m.nonzero[which]);
			if (m.nonzero[which])
				way.state = seen(flow, way.state, m.value);
		}
		along(flow, block, to, way, out);
	}
}

static void leave(struct flow *flow, const struct ir_instr *in, const struct ways *ways)
{
	struct work *w = flow->w;
	int64_t k;

	for (uint32_t i = 0; i < ways->count; i++) {
		facts_id state = ways->way[i].state;
		int result = -1;

		if (ir_kind(in->a) == IR_K_VALUE)
			result = way_knows(&ways->way[i], ir_index(in->a));
		else if (ir_kind(in->a) == IR_K_NULL || constant_of(w, in->a, &k))
			result = ir_kind(in->a) != IR_K_NULL && k;
		if (result < 0 && is_address(w, in->a))
			result = 1;
		if (ir_kind(in->a) == IR_K_VALUE && symbolic_operand(w, in->a) != w->result)
			state = escape_operand(w, state, in->a);
		state = facts_leave(w->s, state, w->f, w->result);
		if (result != 1)
			flow->exit[0] = facts_meet(w->s, flow->exit[0], state);
		if (result != 0)
			flow->exit[1] = facts_meet(w->s, flow->exit[1], state);
	}
}

static void send(struct flow *flow, uint32_t to, const struct ways *ways, uint32_t visits)
{
	if (ways->count && ways_merge(flow->w->s, &flow->in[to], ways, visits))
		flow->dirty[to] = true;
}

static void finish_block(struct flow *flow, const struct ir_instr *in, uint32_t block, const struct ways *ways, uint32_t visits)
{
	struct work *w = flow->w;

	if (in->op == IR_RET) {
		leave(flow, in, ways);
		return;
	}
	if (in->op == IR_BR && in->size == 2 && ir_kind(in->a) != IR_K_NONE && w->unit->extras[in->extra] != w->unit->extras[in->extra + 1]) {
		for (int which = 0; which < 2; which++) {
			struct ways out = { 0 };

			branch(flow, in, block, ways, which, &out);
			send(flow, w->unit->extras[in->extra + (which ? 0 : 1)], &out, visits);
		}
		return;
	}
	for (size_t i = 0;; i++) {
		uint32_t to = block_successor(w, block, i);
		struct ways out = { 0 };

		if (to == IR_NO)
			break;
		for (uint32_t j = 0; j < ways->count; j++)
			along(flow, block, to, ways->way[j], &out);
		send(flow, to, &out, visits);
	}
}

static void run_block(struct flow *flow, uint32_t block, uint32_t visits, bool final)
{
	struct work *w = flow->w;
	const struct ir_block *b = &w->unit->blocks[w->function->first_block + block];
	struct ways ways = flow->in[block];

	w->visited += b->count * (ways.count ? ways.count : 1);
	for (uint32_t i = 0; i < b->count && ways.count; i++) {
		const struct ir_instr *in = &w->unit->instrs[b->first + i];

		w->final = final;
		if (i == b->count - 1) {
			w->final = false;
			if (!final)
				finish_block(flow, in, block, &ways, visits);
			break;
		}
		if (in->op == IR_CALL) {
			call_ways(flow, in, block, &ways);
			continue;
		}
		if (final) {
			struct ways each;

			to_record(w, &ways, &each);
			for (uint32_t j = 0; j < each.count && in->op != IR_PHI && in->op != IR_ALLOCA; j++) {
				set_conditions(w, &each.way[j]);
				step(flow, in, block, each.way[j].state);
			}
			w->final = false;
		}
		for (uint32_t j = 0; j < ways.count; j++) {
			if (in->dst != IR_NO && in->op != IR_PHI)
				way_forget(&ways.way[j], in->dst);
			ways.way[j].state = step(flow, in, block, ways.way[j].state);
		}
		if (in->op == IR_RMW || in->op == IR_CMPXCHG)
			flag_ways(flow, in, &ways);
	}
	w->final = false;
}

/* ---- one function ----------------------------------------------------------------------------------------------------- */

static void look_up(struct work *w)
{
	const struct function_info *info = &w->s->functions[w->f];
	uint32_t n = w->function->value_count + 1;

	w->values = ARENA_ARRAY(&w->arena, path_id, n);
	w->def = ARENA_ARRAY(&w->arena, const struct ir_instr *, n);
	w->used = ARENA_ARRAY(&w->arena, bool, n);
	w->load_state = ARENA_ARRAY(&w->arena, facts_id, n);
	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &w->unit->instrs[info->first_instr + i];
		bool listed = in->op == IR_CALL || in->op == IR_PHI || in->op == IR_OPAQUE;
		ir_operand o[3] = { in->a, in->b, in->c };

		if (in->dst != IR_NO)
			w->def[in->dst] = in;
		for (int k = 0; k < 3; k++)
			if (ir_kind(o[k]) == IR_K_VALUE && in->op != IR_ASM)
				w->used[ir_index(o[k])] = true;
		for (uint32_t k = in->op == IR_PHI; listed && k < in->size; k += in->op == IR_PHI ? 2 : 1)
			if (ir_kind(w->unit->extras[in->extra + k]) == IR_K_VALUE)
				w->used[ir_index(w->unit->extras[in->extra + k])] = true;
	}
}

/* Loops matter only where threads are created or joined. */
static bool wants_loops(const struct work *w)
{
	const struct function_info *info = &w->s->functions[w->f];

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &w->unit->instrs[info->first_instr + i];
		struct call_target t;
		const struct function_info *callee;

		if (in->op != IR_CALL || ir_kind(in->a) != IR_K_FUNC)
			continue;
		t.function = scan_called(w->s, w->f, in);
		callee = &w->s->functions[t.function];
		for (const struct model *m = callee->defined ? NULL : callee->model; m; m = m->next)
			if (m->kind == MODEL_SPAWN || m->kind == MODEL_JOIN)
				return true;
		for (int e = 0; callee->defined && e < 2; e++)
			if (callee->summary.exit[e] && (facts_has(w->s, callee->summary.exit[e], FACT_RUNS) ||
							facts_has(w->s, callee->summary.exit[e], FACT_JOINED)))
				return true;
	}
	return false;
}

/* The one path all returns give, null pointers aside; 0: they differ. */
static path_id result_path(struct work *w)
{
	const struct function_info *info = &w->s->functions[w->f];
	path_id common = 0;

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &w->unit->instrs[info->first_instr + i];
		path_id p;

		if (in->op != IR_RET || ir_kind(in->a) == IR_K_NONE || ir_kind(in->a) == IR_K_NULL)
			continue;
		p = symbolic_operand(w, in->a);
		if (common && p != common)
			return 0;
		common = p;
	}
	return common;
}

static void iterate(struct flow *flow)
{
	struct work *w = flow->w;
	uint32_t *visits = ARENA_ARRAY(&w->arena, uint32_t, w->function->block_count + 1);
	bool again = true;

	flow->in[0].count = 1;
	flow->in[0].way[0] = (struct way){ .state = w->s->nothing };
	flow->dirty[0] = true;
	while (again && !flow->cut) {
		again = false;
		for (uint32_t i = 0; i < w->rpo_count; i++) {
			uint32_t block = w->rpo[i];

			if (!flow->dirty[block])
				continue;
			flow->dirty[block] = false;
			again = true;
			run_block(flow, block, visits[block]++, false);
			if (w->visited > w->s->budget)
				flow->cut = true;
		}
	}
}

static void record(struct flow *flow)
{
	struct work *w = flow->w;
	struct function_info *info = &w->s->functions[w->f];

	memset(w->load_state, 0, (w->function->value_count + 1) * sizeof(facts_id));
	for (uint32_t i = 0; i < w->rpo_count; i++)
		run_block(flow, w->rpo[i], 0, true);
	info->event_count = (uint32_t)w->events.count;
	if (w->events.count)
		info->events = malloc(w->events.count * sizeof(struct event));
	if (w->targets.count)
		info->targets = malloc(w->targets.count * sizeof(struct call_target));
	if (w->actuals.count)
		info->actuals = malloc(w->actuals.count * sizeof(path_id));
	if ((w->events.count && !info->events) || (w->targets.count && !info->targets) || (w->actuals.count && !info->actuals))
		BUG("out of memory");
	if (info->events)
		memcpy(info->events, w->events.items, w->events.count * sizeof(struct event));
	if (info->targets)
		memcpy(info->targets, w->targets.items, w->targets.count * sizeof(struct call_target));
	if (info->actuals)
		memcpy(info->actuals, w->actuals.items, w->actuals.count * sizeof(path_id));
	if (flow->cut) {
		info->cut = true;
		assume(w->s, ASSUME_BUDGET, false, w->f, NULL, "%s is too large for its budget: cut short", ir_string(w->unit, w->function->display));
	}
}

struct summary flow_run(struct scan *s, uint32_t f, bool final, uint64_t *visited)
{
	struct work w = { .s = s, .f = f, .unit = scan_unit(s, f), .function = scan_function(s, f) };
	struct flow flow = { .w = &w };
	struct summary summary;

	look_up(&w);
	blocks_order(&w);
	symbolic_run(&w);
	w.result = result_path(&w);
	if (wants_loops(&w))
		loops_find(&w);
	flow.in = ARENA_ARRAY(&w.arena, struct ways, w.function->block_count + 1);
	flow.dirty = ARENA_ARRAY(&w.arena, bool, w.function->block_count + 1);
	iterate(&flow);
	summary = (struct summary){ .exit = { flow.exit[0], flow.exit[1] }, .result = w.result };
	if (final)
		record(&flow);
	*visited += w.visited;
	VEC_FREE(&w.events);
	VEC_FREE(&w.targets);
	VEC_FREE(&w.actuals);
	arena_free(&w.arena);
	return summary;
}
