/*
 * effects - what one call does to the state: the paper's flow function for calls, with models for
 * functions without a body. In the last round it also writes down the events.
 *
 * I1  Result zero and not zero are followed apart where a model or summary tells them apart.
 * I2  A function nobody knows reads and writes what its arguments reach, keeps them, calls what
 *     functions it is given, and takes no locks: sound, and listed.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

static path_id argument(struct work *w, const struct ir_instr *in, int i)
{
	if (i < 0 || (uint32_t)i >= in->size)
		return 0;
	return symbolic_operand(w, w->unit->extras[in->extra + (uint32_t)i * (in->op == IR_ASM ? 2 : 1)]);
}

static uint32_t argument_count(const struct ir_instr *in)
{
	return in->op == IR_ASM ? in->size / 2 : in->size;
}

static bool is_pointer(struct work *w, path_id path)
{
	const struct path *root = path_at(w->s, path_at(w->s, path)->root);

	if (!path || root->kind == PATH_INT || root->kind == PATH_FUNCTION)
		return false;
	return root->kind == PATH_FIXED || path_cell(w->s, path).node;
}

static path_id object_of(struct work *w, const struct ir_instr *in, const struct model *m)
{
	if (m->object == MODEL_FIXED)
		return path_fixed(w->s, m->fixed ? m->fixed : "");
	if (m->object == MODEL_RESULT)
		return in->dst == IR_NO ? 0 : path_plain(w->s, PATH_VALUE, w->f, in->dst);
	return argument(w, in, m->object);
}

/* The id itself: for pthread_create what lies at formal 0 afterwards. */
static path_id id_of(struct work *w, const struct ir_instr *in, const struct model *m)
{
	path_id object = object_of(w, in, m);

	if (!object || m->object == MODEL_FIXED)
		return 0;
	if (m->object != MODEL_RESULT && !m->by_value) {
		if (path_at(w->s, path_at(w->s, object)->root)->kind == PATH_CLASS || points_to_stored(w->s, path_cell(w->s, object)))
			return 0;
		object = path_load(w->s, object, IR_NO, 0);
	}
	return path_at(w->s, object)->canon;
}

/* ---- events ------------------------------------------------------------------------------------------------- */

void event_add(struct work *w, struct event event)
{
	if (!w->final)
		return;
	event.conditions = w->conditions;
	memcpy(event.condition, w->condition, sizeof(event.condition));
	VEC_PUSH(&w->events, event);
}

void event_access(struct work *w, const struct ir_instr *in, facts_id state, path_id path, unsigned flags, uint32_t size)
{
	const struct path *p = path_at(w->s, path), *root = path_at(w->s, p->root);

	if (!w->final || !path || root->kind == PATH_INT || root->kind == PATH_FUNCTION)
		return;
	if (root->kind == PATH_GLOBAL && linked_global(w->s->program, root->a)->flags & IR_G_CONSTANT)
		return;
	if (root->kind == PATH_STACK && facts_find(w->s, state, FACT_OWN, p->root))
		return; /* nobody's business */
	event_add(w, (struct event){ .kind = EVENT_ACCESS, .flags = (uint8_t)flags, .order = (uint8_t)ir_order_of(in->flags), .size = size,
				     .instr = (uint32_t)(in - w->unit->instrs), .path = path, .state = state, .target = IR_NO });
}

static uint32_t add_actuals(struct work *w, const struct ir_instr *in, uint32_t *count)
{
	uint32_t first = (uint32_t)w->actuals.count;

	*count = argument_count(in);
	for (uint32_t i = 0; i < *count; i++)
		VEC_PUSH(&w->actuals, argument(w, in, (int)i));
	return first;
}


static int by_function(const void *x, const void *y)
{
	const struct call_target *a = x, *b = y;

	return (a->function > b->function) - (a->function < b->function);
}

/* Entry functions an argument may be; too many in a kernel are none: who nobody calls is an entry anyway. */
static uint32_t add_entries(struct work *w, const struct ir_instr *in, struct cell cell, path_id path)
{
	uint32_t first = (uint32_t)w->targets.count;
	const uint32_t *list;
	size_t count;

	if (path && path_at(w->s, path)->kind == PATH_FUNCTION) {
		VEC_PUSH(&w->targets, (struct call_target){ .function = path_at(w->s, path)->a, .type = IR_NO });
		VEC_PUSH(&w->targets, (struct call_target){ .function = IR_NO });
		return first;
	}
	count = points_to_functions(w->s, cell, &list);
	if (w->s->parallel && count > TARGETS_MAX) {
		assume(w->s, ASSUME_UNRESOLVED_CALL, false, w->f, in, "a function pointer handed on that may be one of more than %d: not followed", TARGETS_MAX);
		return IR_NO;
	}
	if (!count)
		return IR_NO;
	for (size_t i = 0; i < count; i++)
		VEC_PUSH(&w->targets, (struct call_target){ .function = list[i], .how = CALL_POINTS_TO, .type = IR_NO });
	qsort(&w->targets.items[first], count, sizeof(struct call_target), by_function); /* in the program's order */
	VEC_PUSH(&w->targets, (struct call_target){ .function = IR_NO });
	return first;
}

/* ---- memory a model touches -------------------------------------------------------------------------------------- */

static bool in_mask(uint32_t mask, uint32_t i)
{
	uint32_t low = mask & 0x7fffffffu;

	if (i < 31 && mask >> i & 1)
		return true;
	return mask >> 31 && low && i > 31u - (uint32_t)__builtin_clz(low);
}

static void model_accesses(struct work *w, const struct ir_instr *in, const struct model *m, facts_id state)
{
	uint32_t count = argument_count(in), size = UINT32_MAX;
	path_id length = m->length >= 0 ? argument(w, in, m->length) : 0;

	if (length && path_at(w->s, length)->kind == PATH_INT && path_at(w->s, length)->off >= 0 && path_at(w->s, length)->off < INT32_MAX)
		size = (uint32_t)path_at(w->s, length)->off;
	for (uint32_t i = 0; i < count; i++) {
		bool object = m->kind == MODEL_ATOMIC && (m->object == (int)i || m->object == MODEL_NO_OBJECT);
		unsigned flags = object ? ACCESS_ATOMIC : ACCESS_RANGE;
		uint32_t bytes = in->op == IR_ASM ? w->unit->extras[in->extra + 2 * i + 1] : object && size == UINT32_MAX ? (m->bytes ? m->bytes : 8) : size;
		path_id path = argument(w, in, (int)i);

		if (m->kind == MODEL_SPAWN && m->object == (int)i)
			bytes = 8; /* the id */
		if (in->op == IR_ASM && !bytes)
			continue;
		if (!is_pointer(w, path))
			continue;
		if (in_mask(m->reads, i) || (object && !m->reads && !m->writes))
			event_access(w, in, state, path, flags | ACCESS_READ, bytes);
		if (in_mask(m->writes, i) || (object && !m->reads && !m->writes))
			event_access(w, in, state, path, flags | ACCESS_WRITE, bytes);
	}
	if (m->kind == MODEL_FREE)
		event_access(w, in, state, argument(w, in, m->object), ACCESS_WRITE | ACCESS_FREE, UINT32_MAX);
	if (m->touches_static || m->returns_static)
		event_access(w, in, state, path_fixed(w->s, m->fixed), ACCESS_WRITE | ACCESS_RANGE, UINT32_MAX);
}

struct reach {
	struct work *w;
	const struct ir_instr *in;
	facts_id state;
};

static void reach_visit(void *context, struct cell cell)
{
	struct reach *r = context;
	path_id path = path_class(r->w->s, (struct cell){ cell.node, -(1ll << 40) }); /* all of it, wherever its objects begin */

	event_access(r->w, r->in, r->state, path, ACCESS_READ | ACCESS_RANGE, UINT32_MAX);
	event_access(r->w, r->in, r->state, path, ACCESS_WRITE | ACCESS_RANGE, UINT32_MAX);
}

/* Everything an argument leads to is read and written; what is too much is said. */
static void reach_all(struct work *w, const struct ir_instr *in, facts_id state, path_id path, bool itself)
{
	struct reach reach = { w, in, state };

	if (!points_to_reach(w->s, path_cell(w->s, path), itself, reach_visit, &reach))
		assume(w->s, ASSUME_DEPTH, false, w->f, in, "an argument leads to more objects than are followed: the rest is taken to be left alone");
}

/* What the model says its arguments lead to, beyond what they point to. */
static void model_reaches(struct work *w, const struct ir_instr *in, const struct model *m, facts_id state)
{
	for (uint32_t i = 0; w->final && m->reaches && i < argument_count(in); i++)
		if (in_mask(m->reaches, i) && is_pointer(w, argument(w, in, (int)i)))
			reach_all(w, in, state, argument(w, in, (int)i), false);
}

static facts_id unknown(struct work *w, const struct ir_instr *in, facts_id state)
{
	for (uint32_t i = 0; i < argument_count(in); i++) {
		path_id path = argument(w, in, (int)i);
		uint32_t entries;

		if (path_at(w->s, path)->kind == PATH_FUNCTION || (path && points_to_functions(w->s, path_cell(w->s, path), &(const uint32_t *){ NULL }))) {
			entries = w->final ? add_entries(w, in, path_cell(w->s, path), path) : IR_NO;
			if (entries != IR_NO) {
				uint32_t count, first = add_actuals(w, in, &count);

				if (!w->s->parallel) /* else it runs without our locks, too, as an entry: that says it all */
					event_add(w, (struct event){ .kind = EVENT_CALL, .instr = (uint32_t)(in - w->unit->instrs), .state = state, .target = entries,
							     .actual = first, .actual_count = count, .passed = 1 });
				event_add(w, (struct event){ .kind = EVENT_SPAWN, .many = 1, .instr = (uint32_t)(in - w->unit->instrs), .state = state,
							     .target = entries });
			}
		}
		if (!is_pointer(w, path))
			continue;
		state = facts_escape(w->s, state, path);
		if (w->final)
			reach_all(w, in, state, path, true);
	}
	return state;
}

/* ---- models ---------------------------------------------------------------------------------------------------------- */

struct outcome2 {
	facts_id zero, other;
};

static const struct loop *loop_at(const struct work *w, uint32_t block)
{
	return w->loop_count && w->loop_of[block] != IR_NO ? &w->loops[w->loop_of[block]] : NULL;
}

/* An object that was allocated in the same turn of the same loop: each thread gets one of its own. */
static bool is_made_for(struct work *w, path_id arg, uint32_t block)
{
	const struct path *root = path_at(w->s, path_at(w->s, arg)->root);
	const struct ir_instr *def;

	if (!arg || (root->kind != PATH_HEAP && root->kind != PATH_CALL) || root->a != w->f || root->b >= w->function->value_count ||
	    !path_is_object(w->s, path_at(w->s, arg)->root))
		return false;
	def = w->def[root->b];
	for (uint32_t b = 0; def && b < w->function->block_count; b++) {
		const struct ir_block *at = &w->unit->blocks[w->function->first_block + b];
		uint32_t i = (uint32_t)(def - w->unit->instrs);

		if (i >= at->first && i < at->first + at->count)
			return loop_at(w, b) == loop_at(w, block);
	}
	return false;
}

static facts_id spawn(struct work *w, const struct ir_instr *in, uint32_t block, const struct model *m, facts_id state)
{
	const struct loop *loop = loop_at(w, block);
	bool many = m->many || m->kind != MODEL_SPAWN;
	struct fact runs = { .kind = FACT_RUNS, .site = scan_site(w->s, w->f, (uint32_t)(in - w->unit->instrs)),
			     .path = many ? 0 : id_of(w, in, m) };
	struct fact created = { .kind = FACT_CREATED, .site = runs.site };
	path_id entry = argument(w, in, m->entry), arg = argument(w, in, m->argument);
	struct cell cell = path_cell(w->s, entry);
	path_id bound = 0;

	runs.mode = !runs.path && m->kind == MODEL_SPAWN && m->object >= 0; /* written nobody knows where */
	if (loop)
		loop_range(w, loop, &runs);
	if (entry && path_at(w->s, entry)->kind == PATH_INT)
		return state; /* a null pointer, SIG_IGN: no routine */
	if (m->entry_indirect) {
		cell.off += m->entry_offset;
		cell = points_to_load(w->s, cell);
		entry = 0;
	}
	bound = runs.bound;
	if (w->final)
		event_add(w, (struct event){ .kind = EVENT_SPAWN, .many = many ? (m->kind == MODEL_SPAWN ? 1 : 2) : 0,
					     .instr = (uint32_t)(in - w->unit->instrs), .path = runs.path, .value = arg, .state = state,
					     .target = m->entry < 0 ? IR_NO : add_entries(w, in, cell, entry), .lo = runs.lo, .hi = runs.hi, .bound = bound,
					     .induction = loop && loop->value != IR_NO ? path_plain(w->s, PATH_VALUE, w->f, loop->value) : 0,
					     .actual = loop && loop->ranged ? (uint32_t)loop->init : 0, .actual_count = loop ? 1 : 0,
					     .once_per_turn = loop && loop->value != IR_NO, .fresh = is_made_for(w, arg, block), .size = loop && loop->ranged && !loop->bound ? (uint32_t)(loop->hi - loop->init) : 0 });
	if (arg && is_pointer(w, arg))
		state = facts_escape(w->s, state, arg);
	if (w->s->parallel)
		return state;
	if (loop && loop->value != IR_NO)
		state = facts_add(w->s, state, (struct fact){ .kind = FACT_TURN, .site = runs.site,
							      .path = path_plain(w->s, PATH_VALUE, w->f, loop->value) });
	return facts_add(w->s, facts_add(w->s, state, runs), created);
}

static facts_id entry_called(struct work *w, const struct ir_instr *in, const struct model *m, facts_id state)
{
	path_id entry = argument(w, in, m->entry), object = m->kind == MODEL_ONCE ? object_of(w, in, m) : 0;
	const uint32_t *list = NULL;
	size_t count = entry ? points_to_functions(w->s, path_cell(w->s, entry), &list) : 0;
	facts_id after = state, inside = state;
	uint32_t only = entry && path_at(w->s, entry)->kind == PATH_FUNCTION ? path_at(w->s, entry)->a : IR_NO;

	if (w->s->parallel && count > TARGETS_MAX)
		count = 0;
	if (only != IR_NO) {
		list = &only;
		count = 1;
	}
	if (object)
		inside = facts_add(w->s, state, (struct fact){ .kind = FACT_INSIDE, .path = object });
	for (size_t i = 0; i < count; i++) {
		const struct function_info *callee = &w->s->functions[list[i]];
		struct rebind r = { .callee = list[i], .formal_count = scan_function(w->s, list[i])->formal_count, .actuals = (path_id[]){ 0 },
				    .wrap_f = w->f, .wrap_v = in->dst == IR_NO ? w->function->value_count + (uint32_t)(in - w->unit->instrs) : in->dst,
				    .parent = IR_NO };

		if (!callee->defined)
			continue;
		for (int e = 0; e < 2; e++)
			if (callee->summary.exit[e])
				after = facts_meet(w->s, after, facts_compose(w->s, state, facts_rebind(w->s, callee->summary.exit[e], &r)));
	}
	if (w->final) {
		uint32_t entries = entry ? add_entries(w, in, path_cell(w->s, entry), entry) : IR_NO, n, first = add_actuals(w, in, &n);

		if (entries == IR_NO)
			assume(w->s, ASSUME_UNRESOLVED_CALL, false, w->f, in, "%s calls a function that is not known", m->name);
		else
			event_add(w, (struct event){ .kind = EVENT_CALL, .instr = (uint32_t)(in - w->unit->instrs), .state = inside, .target = entries,
						     .actual = first, .actual_count = n, .passed = 1, .inside = object != 0, .path = object });
	}
	if (m->kind == MODEL_CALLS)
		for (uint32_t i = 0; i < argument_count(in); i++)
			if (in_mask(m->passes, i) && is_pointer(w, argument(w, in, (int)i)))
				after = facts_escape(w->s, after, argument(w, in, (int)i));
	return object ? facts_add(w->s, after, (struct fact){ .kind = FACT_ONCE, .path = object }) : after;
}

static void on_success(const struct model *m, facts_id before, facts_id done, struct outcome2 *out)
{
	if (!m->can_fail && m->kind != MODEL_TRYLOCK) {
		out->zero = out->other = done;
		return;
	}
	out->zero = !m->success_nonzero && m->success == 0 ? done : before;
	out->other = m->success_nonzero ? done : before;
}

static void note_sync(struct work *w, const struct ir_instr *in, enum event_kind kind, path_id path, path_id value, facts_id state)
{
	event_add(w, (struct event){ .kind = (uint8_t)kind, .instr = (uint32_t)(in - w->unit->instrs), .path = path, .value = value,
				     .state = state, .target = IR_NO });
}

facts_id fence(struct scan *s, facts_id state, enum ir_order order)
{
	if (order == IR_ORDER_ACQUIRE || order == IR_ORDER_ACQ_REL || order == IR_ORDER_SEQ_CST)
		state = facts_acquire(s, state);
	if (order == IR_ORDER_RELEASE || order == IR_ORDER_ACQ_REL || order == IR_ORDER_SEQ_CST)
		state = facts_add(s, facts_add(s, state, (struct fact){ .kind = FACT_FENCE }), (struct fact){ .kind = FACT_FENCED });
	return state;
}

static struct outcome2 apply(struct work *w, const struct ir_instr *in, uint32_t block, const struct model *m, facts_id state)
{
	struct scan *s = w->s;
	path_id object = object_of(w, in, m), lock;
	struct outcome2 out = { state, state };
	struct fact held = { .kind = FACT_HELD, .mode = (uint8_t)m->mode, .count = m->recursive, .path = object };

	model_accesses(w, in, m, state);
	model_reaches(w, in, m, state);
	for (uint32_t i = 0; m->keeps && i < argument_count(in); i++)
		if (in_mask(m->keeps, i) && is_pointer(w, argument(w, in, (int)i)))
			out.zero = out.other = state = facts_escape(s, state, argument(w, in, (int)i));
	if (m->returns >= 0 && in->dst != IR_NO && w->used[in->dst] && argument(w, in, m->returns))
		out.zero = out.other = state = facts_escape(s, state, argument(w, in, m->returns));
	switch (m->kind) {
	case MODEL_LOCK:
	case MODEL_TRYLOCK:
		if (object && path_at(s, path_at(s, object)->root)->kind != PATH_CLASS)
			on_success(m, state, facts_add(s, state, held), &out);
		break;
	case MODEL_UNLOCK:
		note_sync(w, in, EVENT_UNLOCK, object, 0, state);
		out.zero = out.other = facts_release(s, state, object);
		break;
	case MODEL_WAIT:
		lock = argument(w, in, m->lock);
		if (lock) /* of a caller: it is let go meanwhile, but held again now */
			out.zero = out.other = state;
		break;
	case MODEL_SPAWN: case MODEL_HANDLER: case MODEL_AT_EXIT:
		on_success(m, state, spawn(w, in, block, m, state), &out);
		break;
	case MODEL_JOIN:
		lock = w->s->parallel ? 0 : id_of(w, in, m);
		if (lock)
			on_success(m, state, facts_join(s, state, (struct fact){ .kind = FACT_JOINED, .path = lock }, false), &out);
		break;
	case MODEL_ALLOC:
		if (in->dst != IR_NO)
			out.zero = out.other = facts_add(s, state, (struct fact){ .kind = FACT_OWN, .path = path_plain(s, PATH_HEAP, w->f, in->dst) });
		break;
	case MODEL_FREE:
		if (in->dst != IR_NO && m->copy_to == -2)
			out.zero = out.other = facts_add(s, state, (struct fact){ .kind = FACT_OWN, .path = path_plain(s, PATH_HEAP, w->f, in->dst) });
		break;
	case MODEL_ONCE: case MODEL_CALLS:
		out.zero = out.other = entry_called(w, in, m, state);
		break;
	case MODEL_BARRIER:
		note_sync(w, in, EVENT_BARRIER, object, 0, state);
		if (object && !w->s->parallel)
			out.zero = out.other = facts_compose(s, state, facts_make(s, &(struct fact){ .kind = FACT_PHASE, .path = object, .lo = 1 }, 1));
		break;
	case MODEL_POST:
		note_sync(w, in, EVENT_POST, object, 0, state);
		out.zero = out.other = facts_add(s, facts_give_up(s, facts_release(s, state, object)), (struct fact){ .kind = FACT_POSTED, .path = w->s->parallel ? 0 : object });
		break;
	case MODEL_TAKE:
		if (object && path_at(s, path_at(s, object)->root)->kind != PATH_CLASS) {
			held.old = HELD_SEMAPHORE;
			held.mode = LOCK_WRITE;
			held.count = 0;
			on_success(m, state, facts_add(s, facts_add(s, state, held), (struct fact){ .kind = FACT_TAKEN, .path = object }), &out);
		}
		break;
	case MODEL_INIT:
		note_sync(w, in, EVENT_INIT, object, argument(w, in, 2), state);
		break;
	case MODEL_FENCE:
		out.zero = out.other = fence(s, state, m->order);
		break;
	case MODEL_NORETURN:
		out.zero = out.other = 0;
		break;
	case MODEL_EXIT_THREAD:
		note_sync(w, in, EVENT_EXIT, 0, 0, state);
		out.zero = out.other = 0;
		break;
	case MODEL_GUARD:
		if (object) {
			out.zero = facts_add(s, state, (struct fact){ .kind = FACT_ONCE, .path = object });
			out.other = facts_add(s, state, (struct fact){ .kind = FACT_INSIDE, .path = object });
		}
		break;
	case MODEL_GUARD_DONE:
		if (object)
			out.zero = out.other = facts_add(s, facts_drop(s, state, FACT_INSIDE, object), (struct fact){ .kind = FACT_ONCE, .path = object });
		break;
	case MODEL_SET_OWN:
		note_sync(w, in, EVENT_SET_OWN, 0, argument(w, in, m->argument), state);
		if (argument(w, in, m->argument))
			out.zero = out.other = facts_escape(s, state, argument(w, in, m->argument));
		break;
	default:
		break;
	}
	return out;
}

static struct outcome2 apply_all(struct work *w, const struct ir_instr *in, uint32_t block, const struct model *m, facts_id state)
{
	struct outcome2 out = { state, state };

	for (bool first = true; m; m = m->next, first = false) {
		if (first || out.zero == out.other) {
			out = out.zero ? apply(w, in, block, m, out.zero) : out;
			continue;
		}
		out.zero = out.zero ? apply(w, in, block, m, out.zero).zero : 0;
		out.other = out.other ? apply(w, in, block, m, out.other).other : 0;
	}
	return out;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------- */

static struct rebind binding(struct work *w, const struct ir_instr *in, uint32_t callee, path_id *actuals, uint32_t max)
{
	struct rebind r = { .callee = callee, .formal_count = scan_function(w->s, callee)->formal_count, .actuals = actuals, .wrap_f = w->f,
			    .wrap_v = in->dst == IR_NO ? w->function->value_count + (uint32_t)(in - w->unit->instrs) : in->dst, .parent = IR_NO };

	for (uint32_t i = 0; i < in->size && i < max; i++)
		actuals[r.actual_count++] = argument(w, in, (int)i);
	return r;
}

/* pthread_cleanup_push of C: the second return runs the routine and ends the thread. */
static bool cancels(const struct work *w)
{
	const struct function_info *info = &w->s->functions[w->f];

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &w->unit->instrs[info->first_instr + i];

		if (in->op == IR_CALL && ir_kind(in->a) == IR_K_FUNC &&
		    !strcmp(ir_string(w->unit, w->unit->functions[ir_index(in->a)].name), "__pthread_register_cancel"))
			return true;
	}
	return false;
}

static struct outcome2 call_one(struct work *w, const struct ir_instr *in, uint32_t block, uint32_t callee, facts_id state)
{
	const struct function_info *info = &w->s->functions[callee];
	bool twice = !info->defined && info->model && info->model->kind == MODEL_RETURNS_TWICE;
	struct outcome2 out = { 0, 0 };
	path_id actuals[32];
	struct rebind r;

	if (info->defined) {
		r = binding(w, in, callee, actuals, 32);
		if (info->summary.exit[0])
			out.zero = facts_compose(w->s, state, facts_rebind(w->s, info->summary.exit[0], &r));
		if (info->summary.exit[1])
			out.other = info->summary.exit[1] == info->summary.exit[0] ? out.zero
				: facts_compose(w->s, state, facts_rebind(w->s, info->summary.exit[1], &r));
		return out;
	}
	if (info->model && !twice)
		return apply_all(w, in, block, info->model, state);
	if (twice) {
		if (w->final && !cancels(w))
			assume(w->s, ASSUME_UNRESOLVED_CALL, false, w->f, in, "setjmp: where longjmp comes back to is not followed");
		out.other = facts_compose(w->s, state, facts_make(w->s, (struct fact[]){ { .kind = FACT_RELEASED }, { .kind = FACT_ESCAPED } }, 2));
		out.zero = state;
		return out;
	}
	if (w->final)
		assume(w->s, ASSUME_UNKNOWN_FUNCTION, true, w->f, in, "unknown function %s: taken to read and write what its arguments reach",
		       ir_string(scan_unit(w->s, callee), scan_function(w->s, callee)->name));
	out.zero = out.other = unknown(w, in, state);
	return out;
}

static void record_call(struct work *w, const struct ir_instr *in, const struct call_target *targets, size_t count, facts_id state)
{
	uint32_t first = IR_NO, n, actual;

	for (size_t i = 0; i < count; i++)
		if (w->s->functions[targets[i].function].defined) {
			if (first == IR_NO)
				first = (uint32_t)w->targets.count;
			VEC_PUSH(&w->targets, targets[i]);
		}
	if (first == IR_NO)
		return;
	VEC_PUSH(&w->targets, (struct call_target){ .function = IR_NO });
	actual = add_actuals(w, in, &n);
	event_add(w, (struct event){ .kind = EVENT_CALL, .instr = (uint32_t)(in - w->unit->instrs), .state = state, .target = first,
				     .actual = actual, .actual_count = n });
}

void effects_call(struct work *w, const struct ir_instr *in, uint32_t block, facts_id before, facts_id after[2])
{
	struct call_target targets[TARGETS_MAX];
	size_t count = calls_resolve(w->s, w->f, in, targets, TARGETS_MAX);

	after[0] = after[1] = 0;
	if (w->final)
		record_call(w, in, targets, count, before);
	if (w->final && count == TARGETS_MAX)
		assume(w->s, ASSUME_UNRESOLVED_CALL, false, w->f, in, "a call through a pointer with more than 255 targets: the rest is left out");
	if (!count) {
		if (w->final)
			assume(w->s, ASSUME_UNRESOLVED_CALL, false, w->f, in, "a call through a pointer that leads to no known function");
		after[0] = after[1] = unknown(w, in, before);
	}
	for (size_t i = 0; i < count; i++) {
		struct outcome2 out = call_one(w, in, block, targets[i].function, before);

		after[0] = facts_meet(w->s, after[0], out.zero);
		after[1] = facts_meet(w->s, after[1], out.other);
	}
	if (in->flags & IR_F_INVOKE) { /* it may also have ended by an exception, at any point */
		for (size_t i = 0; i < count; i++) {
			const struct summary *summary = &w->s->functions[targets[i].function].summary;

			if (w->final && w->s->functions[targets[i].function].defined && (summary->exit[0] != w->s->nothing || summary->exit[1] != w->s->nothing))
				assume(w->s, ASSUME_UNRESOLVED_CALL, false, w->f, in, "an exception out of a function with locks or threads is not followed");
		}
		after[0] = facts_meet(w->s, after[0], before);
		after[1] = facts_meet(w->s, after[1], before);
	}
	if (in->flags & IR_F_NORETURN)
		after[0] = after[1] = 0;
}

/* Ids this call joins, for the loop around it. */
size_t effects_joins(struct work *w, const struct ir_instr *in, struct fact *facts, size_t max)
{
	struct call_target targets[2];
	size_t count = 0;
	const struct function_info *info;
	path_id actuals[32];
	struct rebind r;

	if (calls_resolve(w->s, w->f, in, targets, 2) != 1)
		return 0;
	info = &w->s->functions[targets[0].function];
	for (const struct model *m = info->defined ? NULL : info->model; m; m = m->next)
		if (m->kind == MODEL_JOIN && !m->can_fail && id_of(w, in, m) && count < max)
			facts[count++] = (struct fact){ .kind = FACT_JOINED, .path = id_of(w, in, m) };
	if (info->defined && info->summary.exit[0] == info->summary.exit[1] && info->summary.exit[0] &&
	    facts_has(w->s, info->summary.exit[0], FACT_JOINED)) {
		const struct facts *set;

		r = binding(w, in, targets[0].function, actuals, 32);
		set = facts_at(w->s, facts_rebind(w->s, info->summary.exit[0], &r));
		for (uint32_t i = 0; i < set->count && count < max; i++)
			if (set->items[i].kind == FACT_JOINED && !set->items[i].hi && !set->items[i].bound)
				facts[count++] = set->items[i];
	}
	return count;
}

void effects_asm(struct work *w, const struct ir_instr *in, uint32_t block, facts_id before, facts_id *after)
{
	const struct model *m = models_find_asm(w->s->models, ir_string(w->unit, (uint32_t)in->imm), ir_string(w->unit, in->type));
	struct outcome2 out;

	if (m) {
		out = apply_all(w, in, block, m, before);
		*after = facts_meet(w->s, out.zero, out.other);
		return;
	}
	if (!*ir_string(w->unit, (uint32_t)in->imm)) { /* a barrier for the compiler */
		*after = before;
		return;
	}
	if (w->final)
		assume(w->s, ASSUME_ASM, false, w->f, in, "asm \"%.40s\" is in no model: taken to read and write its memory operands",
		       ir_string(w->unit, (uint32_t)in->imm));
	*after = unknown(w, in, before);
}
