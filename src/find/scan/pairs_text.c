/*
 * pairs_text - a pair in words: function, line, variable, threads, the way from the entry, the locks. Everything
 * goes into the arena it is given, so several workers write at once.
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"
#include "race/fingerprint.h"

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
		return d->s->parallel ? "any caller" : "one of many threads";
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

void pair_side_text(struct descent *d, const struct place_access *a, const struct event *e, struct scan_side *side, struct arena *arena)
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
const char *pair_variable_text(struct descent *d, const struct pair_view *v, struct arena *arena)
{
	const char *a = text_of(d->s, arena, v->ea->path), *b = text_of(d->s, arena, v->eb->path);
	bool object_a = path_is_object(d->s, path_at(d->s, v->ea->path)->root), object_b = path_is_object(d->s, path_at(d->s, v->eb->path)->root);

	if (object_a != object_b)
		return object_a ? a : b;
	return strlen(b) < strlen(a) || (strlen(a) == strlen(b) && strcmp(b, a) < 0) ? b : a;
}
