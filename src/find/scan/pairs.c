/*
 * pairs - accesses that may touch the same bytes, one of them a write, that nothing excludes; and all
 * of it in words: function, line, variable, threads, the way from the entry, the locks.
 *
 * I1  Accesses are compared within their points-to class only. A class with more than PAIRS_MAX
 *     combinations is cut, which is listed as not sound.
 * I2  A pair of statements (instruction and kind on both sides) is given once, by the first contexts
 *     that leave it standing.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"
#include "race/fingerprint.h"

#define PAIRS_MAX 3000000
#define CLASS_MAX 2000 /* candidates shown of one class: nobody reads more */

struct pairing {
	struct descent *d;
	struct scan_result *result;
	struct arena *arena;
	VEC(struct scan_pair) pairs;
	size_t in_class;       /* pairs of the class at hand */
	uint64_t *slots;
	size_t slot_count, used;
};

static uint64_t pair_key(struct descent *d, const struct pair_view *v)
{
	struct scan *s = d->s;
	uint64_t a = (uint64_t)scan_place(s, d->contexts.items[v->a->context].function, v->ea->instr) << 1 | (v->ea->flags & ACCESS_WRITE);
	uint64_t b = (uint64_t)scan_place(s, d->contexts.items[v->b->context].function, v->eb->instr) << 1 | (v->eb->flags & ACCESS_WRITE);

	return a < b ? intern_mix(a, b) | 1 : intern_mix(b, a) | 1;
}

static bool new_pair(struct pairing *p, uint64_t key, bool add)
{
	size_t at;

	if ((p->used + 1) * 2 > p->slot_count) {
		size_t count = p->slot_count ? p->slot_count * 2 : 1024;
		uint64_t *slots = calloc(count, sizeof(*slots));

		if (!slots)
			BUG("out of memory");
		for (size_t i = 0; i < p->slot_count; i++)
			if (p->slots[i]) {
				for (at = p->slots[i] >> 1 & (count - 1); slots[at]; at = (at + 1) & (count - 1))
					;
				slots[at] = p->slots[i];
			}
		free(p->slots);
		p->slots = slots;
		p->slot_count = count;
	}
	for (at = key >> 1 & (p->slot_count - 1); p->slots[at]; at = (at + 1) & (p->slot_count - 1))
		if (p->slots[at] == key)
			return false;
	if (add) {
		p->slots[at] = key;
		p->used++;
	}
	return true;
}

/* ---- words ----------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static char *text_of(struct scan *s, struct arena *arena, path_id path)
{
	struct strbuf sb = STRBUF_INIT;
	char *text;

	path_text(s, &sb, path, true);
	text = arena_strdup(arena, sb.buf);
	strbuf_release(&sb);
	return text;
}

static const char *thread_text(struct descent *d, uint32_t thread, struct arena *arena)
{
	struct scan *s = d->s;
	const struct thread *t = &d->threads.items[thread];
	const struct ir_unit *unit;
	const struct ir_location *loc;

	if (t->parent == IR_NO && t->function == IR_NO)
		return "any caller";
	if (t->parent == IR_NO)
		return t->many ? arena_printf(arena, "%s (entry)", ir_string(scan_unit(s, t->function), scan_function(s, t->function)->display))
			       : "main";
	unit = scan_unit(s, t->site_function);
	loc = &unit->locations[unit->instrs[t->site_instr].loc];
	return arena_printf(arena, "%s, %s at %s:%u%s", ir_string(scan_unit(s, t->function), scan_function(s, t->function)->display),
			    t->handler ? "registered" : "created", base_name(ir_string(unit, loc->file)), loc->line, t->self ? " (many)" : "");
}

static const char *how_text(struct descent *d, const struct context *c, struct arena *arena)
{
	static const char *const how[] = { "", "through a function pointer (points-to)", "through a function pointer (signature)",
					   "through a function pointer (field)" };
	const struct linked *l = d->s->program;
	const struct ir_unit *unit;
	const struct ir_type *type;

	if (c->how != CALL_FIELD || c->how_type == IR_NO)
		return how[c->how < 4 ? c->how : 0];
	unit = &l->units[l->types[c->how_type].unit];
	type = &unit->types[l->types[c->how_type].index];
	return arena_printf(arena, "through a function pointer (field %s.%s)", ir_string(unit, type->name),
			    c->how_field < type->field_count ? ir_string(unit, unit->fields[type->first_field + c->how_field].name) : "");
}

static void way_text(struct descent *d, uint32_t context, const struct event *e, struct scan_side *side, struct arena *arena)
{
	struct scan *s = d->s;
	size_t count = 1;
	struct scan_step *steps;
	uint32_t thread = d->contexts.items[context].thread;

	for (uint32_t c = context; d->contexts.items[c].parent != IR_NO && d->contexts.items[d->contexts.items[c].parent].thread == thread;
	     c = d->contexts.items[c].parent)
		count++;
	steps = ARENA_ARRAY(arena, struct scan_step, count);
	side->path = steps;
	side->path_count = count;
	for (uint32_t c = context, at = e->instr; count-- > 0; c = d->contexts.items[c].parent) {
		const struct context *x = &d->contexts.items[c];
		const struct ir_unit *unit = scan_unit(s, x->function);
		const struct ir_location *loc = &unit->locations[unit->instrs[at].loc];

		steps[count] = (struct scan_step){ arena_strdup(arena, ir_string(unit, scan_function(s, x->function)->display)),
						   arena_strdup(arena, ir_string(unit, loc->file)), (int)loc->line, count ? how_text(d, x, arena) : "" };
		if (x->parent != IR_NO)
			at = descent_event(d, x->parent, x->parent_event)->instr;
	}
}

static void locks_text(struct descent *d, facts_id state, struct access *access, struct arena *arena)
{
	const struct facts *set = facts_at(d->s, state);
	struct held_lock *locks;
	size_t count = 0;

	for (uint32_t i = 0; i < set->count; i++)
		count += set->items[i].kind == FACT_HELD;
	locks = ARENA_ARRAY(arena, struct held_lock, count + 1);
	access->locks = locks;
	access->lock_count = count;
	count = 0;
	for (uint32_t i = 0; i < set->count; i++)
		if (set->items[i].kind == FACT_HELD) {
			locks[count].name = text_of(d->s, arena, set->items[i].path);
			locks[count++].mode = (enum lock_mode)set->items[i].mode;
		}
	for (size_t i = 1; i < count; i++) /* by name: numbers of paths differ from run to run */
		for (size_t j = i; j > 0 && strcmp(locks[j].name, locks[j - 1].name) < 0; j--) {
			struct held_lock t = locks[j];

			locks[j] = locks[j - 1];
			locks[j - 1] = t;
		}
}

static void side_text(struct descent *d, const struct place_access *a, const struct event *e, struct scan_side *side, struct arena *arena)
{
	struct scan *s = d->s;
	uint32_t f = d->contexts.items[a->context].function;
	const struct ir_unit *unit = scan_unit(s, f);
	const struct ir_function *function = scan_function(s, f);
	const struct ir_location *loc = &unit->locations[unit->instrs[e->instr].loc];
	int first = (int)unit->locations[function->loc].line;

	side->thread = thread_text(d, a->thread, arena);
	side->expression = text_of(s, arena, a->path);
	side->access = (struct access){ .flags = e->flags, .size = e->size == UINT32_MAX ? 0 : e->size,
					.function = arena_strdup(arena, ir_string(unit, loc->scope ? loc->scope : function->display)),
					.file = arena_strdup(arena, ir_string(unit, loc->file)), .line = (int)loc->line, .column = (int)loc->column,
					.ordinal = access_ordinal((int)loc->line, first), .thread = side->thread };
	locks_text(d, a->state, &side->access, arena);
	way_text(d, a->context, e, side, arena);
}

/* The shorter of the two names in the words of the functions themselves. */
static const char *variable_text(struct descent *d, const struct pair_view *v, struct arena *arena)
{
	const char *a = text_of(d->s, arena, v->ea->path), *b = text_of(d->s, arena, v->eb->path);
	bool object_a = path_is_object(d->s, path_at(d->s, v->ea->path)->root), object_b = path_is_object(d->s, path_at(d->s, v->eb->path)->root);

	if (object_a != object_b)
		return object_a ? a : b;
	return strlen(b) < strlen(a) || (strlen(a) == strlen(b) && strcmp(b, a) < 0) ? b : a;
}

/* ---- comparing ----------------------------------------------------------------------------------------------- */

static void compare(struct pairing *p, const struct place_access *a, const struct place_access *b)
{
	struct descent *d = p->d;
	struct pair_view view = { a, b, descent_event(d, a->context, a->event), descent_event(d, b->context, b->event) };
	struct scan_pair pair = { 0 };
	const char *why;
	uint64_t key;
	int by;

	if (!((view.ea->flags | view.eb->flags) & ACCESS_WRITE) || !may_be_same(d, a, b, &why))
		return;
	if (a == b && !d->threads.items[a->thread].self && d->threads.items[a->thread].parent != IR_NO)
		return;
	p->result->considered_pairs++;
	key = pair_key(d, &view);
	if (!new_pair(p, key, false))
		return;
	by = exclude(d, &view);
	if (by >= 0) {
		p->result->excluded[by]++;
		return;
	}
	new_pair(p, key, true);
	if (++p->in_class > CLASS_MAX) {
		if (p->in_class == CLASS_MAX + 1)
			assume(d->s, ASSUME_BUDGET, false, d->contexts.items[a->context].function, &scan_unit(d->s, d->contexts.items[a->context].function)->instrs[view.ea->instr],
			       "more than %d candidates in one points-to class: the rest is not shown", CLASS_MAX);
		return;
	}
	side_text(d, a, view.ea, &pair.side[0], p->arena);
	side_text(d, b, view.eb, &pair.side[1], p->arena);
	pair.variable = variable_text(d, &view, p->arena);
	pair.why_alias = why;
	rank_pair(d, &pair, &view, p->arena);
	VEC_PUSH(&p->pairs, pair);
}

static void bucket(struct pairing *p, uint32_t node)
{
	struct descent *d = p->d;
	uint64_t done = 0;
	bool write = false;

	p->in_class = 0;
	for (uint32_t i = d->bucket[node]; i && !write; i = d->accesses.items[i - 1].next)
		write = descent_event(d, d->accesses.items[i - 1].context, d->accesses.items[i - 1].event)->flags & ACCESS_WRITE;
	for (uint32_t i = write ? d->bucket[node] : 0; i; i = d->accesses.items[i - 1].next)
		for (uint32_t j = i; j; j = d->accesses.items[j - 1].next) {
			compare(p, &d->accesses.items[i - 1], &d->accesses.items[j - 1]);
			if (++done > PAIRS_MAX) {
				const struct place_access *a = &d->accesses.items[i - 1];

				assume(d->s, ASSUME_BUDGET, false, d->contexts.items[a->context].function,
				       &scan_unit(d->s, d->contexts.items[a->context].function)->instrs[descent_event(d, a->context, a->event)->instr],
				       "more than %d pairs of accesses in one points-to class: the rest is left out", PAIRS_MAX);
				return;
			}
		}
}

static int by_rank(const void *x, const void *y)
{
	const struct scan_pair *a = x, *b = y;
	int c = a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->turn > b->turn) - (a->turn < b->turn);

	for (int i = 0; i < 2 && !c; i++) {
		c = strcmp(a->side[i].access.file, b->side[i].access.file);
		c = c ? c : a->side[i].access.line - b->side[i].access.line;
		c = c ? c : a->side[i].access.column - b->side[i].access.column;
		c = c ? c : (int)a->side[i].access.flags - (int)b->side[i].access.flags;
	}
	return c;
}

static int by_variable(const void *x, const void *y)
{
	const struct scan_pair *a = x, *b = y;
	int c = (a->rank > b->rank) - (a->rank < b->rank);

	c = c ? c : strcmp(a->variable, b->variable);
	return c ? c : by_rank(x, y);
}

/* Everybody looks at the top: the first claim on each variable goes before the second on any. */
static void take_turns(struct scan_pair *pairs, size_t count)
{
	qsort(pairs, count, sizeof(*pairs), by_variable);
	for (size_t i = 1; i < count; i++)
		if (pairs[i].rank == pairs[i - 1].rank && !strcmp(pairs[i].variable, pairs[i - 1].variable))
			pairs[i].turn = pairs[i - 1].turn + 1;
	qsort(pairs, count, sizeof(*pairs), by_rank);
}

void pairs_make(struct descent *d, struct scan_result *result, struct arena *arena)
{
	struct pairing p = { .d = d, .result = result, .arena = arena };

	for (uint32_t node = 0; node < d->bucket_count; node++) {
		if (d->bucket[node])
			bucket(&p, node);
		if (d->s->options->progress && node % 65536 == 65535)
			d->s->options->progress(d->s->options->context, "pairs", node, d->bucket_count);
	}
	if (p.pairs.count)
		take_turns(p.pairs.items, p.pairs.count);
	result->pair_count = p.pairs.count;
	result->pairs = p.pairs.count ? arena_copy(arena, p.pairs.items, p.pairs.count * sizeof(struct scan_pair)) : NULL;
	VEC_FREE(&p.pairs);
	free(p.slots);
}
