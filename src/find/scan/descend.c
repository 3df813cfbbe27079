/*
 * descend - from the thread entries down: summaries meet their callers, and accesses become absolute.
 *
 * The paper copies every guarded access up into every caller; here a function's events stay where they
 * are and the caller's side (actual arguments, state at the call) comes down to them as a context.
 * The accesses seen at a thread entry are the same; the work is (contexts x events) and nothing is copied.
 *
 * I1  A context is (function, thread, arguments, state), each once. Beyond CONTEXTS of one function and
 *     thread they are merged into one: arguments that differ become their class, states are met.
 *     That loses precision, never an access.
 * I2  What must hold is only brought down if its names still mean the same: facts_enter().
 * I3  A thread is (creating instruction, id, entry, creating thread). A chain of threads that creates
 *     itself again is cut at the first repetition, which then stands for any number.
 *     Beyond THREADS_MAX they are no longer kept apart: one for all further entries, of which there are
 *     many, made by nobody we know of, so that it may run beside anything at any time. (One for each
 *     entry said nothing more and cost contexts for each: sqlite creates threads by a pointer that points-to
 *     takes for any of 730 functions, and did not end before the limit of contexts.)
 */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

#define CONTEXTS 48
#define CONTEXTS_LARGE 3
#define THREAD_DEPTH 8
#define THREADS_MAX 64  /* kept apart by who creates them; contexts are made for each */

static void called_from(struct descent *d, uint32_t callee, uint32_t site)
{
	uint32_t *at = &d->call_site[callee];

	*at = !*at || *at == site + 1 ? site + 1 : UINT32_MAX;
}

/* Formal i as anything it may point to. */
static path_id any_formal(struct descent *d, uint32_t f, uint32_t i)
{
	path_id *known = &d->formal_class[d->s->functions[f].value_base + i];

	if (!*known)
		*known = path_class(d->s, points_to_value(d->s, f, i));
	return *known;
}

static path_id bind_argument(struct descent *d, uint32_t callee, uint32_t i, path_id path)
{
	struct scan *s = d->s;

	if (!path)
		return any_formal(d, callee, i);
	return path_mentions_function(s, path, callee) ? path_class(s, path_cell(s, path)) : path;
}

/* ---- contexts --------------------------------------------------------------------------------------------- */

static bool same_context(const struct context *c, const struct context *x)
{
	return c->function == x->function && c->thread == x->thread && c->state == x->state && c->arg_count == x->arg_count &&
	       !memcmp(c->args, x->args, x->arg_count * sizeof(path_id));
}

static uint64_t context_hash(const struct context *c)
{
	uint64_t h = intern_mix(c->function, intern_mix(c->thread, c->state));

	for (uint32_t i = 0; i < c->arg_count; i++)
		h = intern_mix(h, c->args[i]);
	return h;
}

static void slots_grow(struct descent *d)
{
	size_t count = d->slot_count ? d->slot_count * 2 : 1024;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		BUG("out of memory");
	for (uint32_t i = 0; i < d->contexts.count; i++) {
		size_t at = context_hash(&d->contexts.items[i]) & (count - 1);

		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = i + 1;
	}
	free(d->slots);
	d->slots = slots;
	d->slot_count = count;
}

static struct group *group_slot(struct group *groups, size_t slots, uint32_t function, uint32_t thread)
{
	size_t at = intern_mix(function, thread) & (slots - 1);

	while (groups[at].count && (groups[at].function != function || groups[at].thread != thread))
		at = (at + 1) & (slots - 1);
	return &groups[at];
}

/* Made with count 0; whoever adds a context counts. */
static struct group *group_of(struct descent *d, uint32_t function, uint32_t thread)
{
	struct group *g;

	if ((d->group_count + 1) * 2 > d->group_slots) {
		size_t slots = d->group_slots ? d->group_slots * 2 : 1024;
		struct group *groups = calloc(slots, sizeof(*groups));

		if (!groups)
			BUG("out of memory");
		for (size_t i = 0; i < d->group_slots; i++)
			if (d->groups[i].count)
				*group_slot(groups, slots, d->groups[i].function, d->groups[i].thread) = d->groups[i];
		free(d->groups);
		d->groups = groups;
		d->group_slots = slots;
	}
	g = group_slot(d->groups, d->group_slots, function, thread);
	if (!g->count)
		*g = (struct group){ function, thread, 0, IR_NO };
	return g;
}

static bool known_context(struct descent *d, const struct context *x, uint32_t *context)
{
	if (!d->slot_count)
		return false;
	for (size_t at = context_hash(x) & (d->slot_count - 1); d->slots[at]; at = (at + 1) & (d->slot_count - 1))
		if (same_context(&d->contexts.items[d->slots[at] - 1], x)) {
			*context = d->slots[at] - 1;
			return true;
		}
	return false;
}

static uint32_t keep_context(struct descent *d, const struct context *x)
{
	size_t at;
	struct group *group;
	struct context c = *x;

	if ((d->contexts.count + 1) * 2 > d->slot_count)
		slots_grow(d);
	for (at = context_hash(x) & (d->slot_count - 1); d->slots[at]; at = (at + 1) & (d->slot_count - 1))
		if (same_context(&d->contexts.items[d->slots[at] - 1], x))
			return d->slots[at] - 1;
	c.args = arena_copy(&d->s->arena, x->args, (x->arg_count ? x->arg_count : 1) * sizeof(path_id));
	group = group_of(d, c.function, c.thread);
	d->group_count += !group->count++;
	if (c.wide)
		group->wide = (uint32_t)d->contexts.count;
	VEC_PUSH(&d->contexts, c);
	d->slots[at] = (uint32_t)d->contexts.count;
	VEC_PUSH(&d->work, (uint32_t)d->contexts.count - 1);
	return (uint32_t)d->contexts.count - 1;
}

/* Merge x into the widest context so far; the result is a context of its own. */
static void widen(struct descent *d, struct context *x, const struct context *wide)
{
	struct scan *s = d->s;

	for (uint32_t i = 0; i < x->arg_count; i++)
		if (x->args[i] != wide->args[i])
			x->args[i] = any_formal(d, x->function, i);
	x->state = facts_meet(s, x->state, wide->state);
	x->wide = true;
}

static uint32_t add_context(struct descent *d, struct context *x)
{
	struct group group;
	uint32_t known;

	if (known_context(d, x, &known))
		return known;
	group = *group_of(d, x->function, x->thread);
	if (group.count >= d->context_cap) {
		uint32_t wide = group.wide;

		for (uint32_t i = 0; i < x->arg_count; i++)
			x->args[i] = wide == IR_NO ? any_formal(d, x->function, i) : x->args[i];
		x->wide = true;
		if (wide != IR_NO) {
			struct context copy = d->contexts.items[wide];

			widen(d, x, &copy);
		}
	}
	return keep_context(d, x);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

static uint32_t find_thread(struct descent *d, const struct thread *x)
{
	for (uint32_t t = x->parent; t != IR_NO; t = d->threads.items[t].parent) /* itself again? */
		if (d->threads.items[t].site == x->site && d->threads.items[t].function == x->function && d->threads.items[t].parent != IR_NO) {
			d->threads.items[t].many = true;
			return t;
		}
	for (uint32_t t = 0; t < d->threads.count; t++) {
		const struct thread *o = &d->threads.items[t];

		if (o->parent == x->parent && o->site == x->site && o->function == x->function && o->id == x->id && o->parent != IR_NO)
			return t;
	}
	return IR_NO;
}

static facts_id inherited(struct descent *d, facts_id state, uint32_t parent)
{
	struct scan *s = d->s;
	const struct facts *set = facts_at(s, state);
	struct rebind r = { .callee = IR_NO, .wrap_f = IR_NO, .parent = parent };
	facts_id out = s->nothing;

	for (uint32_t i = 0; i < set->count; i++) {
		struct fact f = set->items[i];

		if (f.kind != FACT_ONCE && f.kind != FACT_SEEN && f.kind != FACT_TAKEN)
			continue;
		out = facts_compose(s, out, facts_rebind(s, facts_make(s, &f, 1), &r));
	}
	return out;
}

static uint32_t root_thread(struct descent *d, uint32_t f, bool many);

static uint32_t any_thread(struct descent *d)
{
	if (!d->any_thread)
		d->any_thread = root_thread(d, IR_NO, true) + 1;
	return d->any_thread - 1;
}

static void add_thread(struct descent *d, uint32_t context, uint32_t event, const struct call_target *target, facts_id state, path_id id, path_id arg)
{
	struct scan *s = d->s;
	const struct context *c = &d->contexts.items[context];
	const struct event *e = descent_event(d, context, event);
	struct thread x = { .function = target->function, .parent = c->thread, .site = scan_site(s, c->function, e->instr), .site_function = c->function,
			    .site_instr = e->instr, .id = id ? path_strip_calls(s, id) : 0, .many = e->many == 1, .handler = e->many == 2, .argument = arg,
			    .induction = e->induction, .fresh = e->fresh, .instances = e->actual_count ? e->size : 1, .looped = e->actual_count,
			    .depth = (uint8_t)(d->threads.items[c->thread].depth + 1) };
	struct rebind r = { .callee = IR_NO, .wrap_f = IR_NO, .parent = c->thread };
	uint32_t t = s->parallel ? 0 : find_thread(d, &x);
	uint32_t formals = scan_function(s, target->function)->formal_count;
	path_id args[formals + 1];
	struct context entry = { .function = target->function, .args = args, .arg_count = formals, .parent = context, .parent_event = event, .how = target->how,
				 .how_type = IR_NO };

	if (!s->functions[target->function].defined || (s->parallel && d->started[target->function]))
		return;
	if (s->parallel) { /* everything is one thread of which there are many */
		d->started[target->function] = true;
		for (uint32_t i = 0; i < formals; i++)
			args[i] = any_formal(d, target->function, i);
		entry.thread = 0;
		entry.state = s->nothing;
		called_from(d, target->function, UINT32_MAX - 2);
		add_context(d, &entry);
		return;
	}
	if (t == IR_NO && d->threads.count >= THREADS_MAX) {
		for (uint32_t i = 0; i < formals; i++)
			args[i] = any_formal(d, target->function, i);
		entry.thread = any_thread(d);
		entry.state = s->nothing;
		called_from(d, target->function, UINT32_MAX - 2);
		add_context(d, &entry);
		return;
	}
	if (t == IR_NO && x.depth > THREAD_DEPTH) {
		assume(s, ASSUME_DEPTH, false, c->function, NULL, "threads that create threads, more than %d deep", THREAD_DEPTH);
		return;
	}
	if (t == IR_NO) {
		t = (uint32_t)d->threads.count;
		VEC_PUSH(&d->threads, x);
	} else if (d->threads.items[t].argument != arg) {
		d->threads.items[t].argument = 0;
		d->threads.items[t].fresh = false;
	}
	VEC_PUSH(&d->threads.items[t].born, state);
	called_from(d, target->function, x.site);
	entry.thread = t;
	for (uint32_t i = 0; i < formals; i++)
		args[i] = any_formal(d, target->function, i);
	if (formals && arg)
		args[0] = path_rebind(s, arg, &r);
	if (formals && args[0] && path_mentions_function(s, args[0], target->function))
		args[0] = any_formal(d, target->function, 0);
	entry.state = inherited(d, state, x.parent);
	add_context(d, &entry);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static uint64_t access_hash(const struct descent *d, const struct place_access *a)
{
	return intern_mix(intern_mix(d->contexts.items[a->context].function, a->event), intern_mix(a->thread, intern_mix(a->path, a->state)));
}

static bool access_known(struct descent *d, const struct place_access *a)
{
	size_t at;

	if ((d->accesses.count + 1) * 2 > d->access_slot_count) {
		size_t count = d->access_slot_count ? d->access_slot_count * 2 : 4096;

		free(d->access_slots);
		d->access_slots = calloc(count, sizeof(uint32_t));
		if (!d->access_slots)
			BUG("out of memory");
		d->access_slot_count = count;
		for (uint32_t i = 0; i < d->accesses.count; i++) {
			at = access_hash(d, &d->accesses.items[i]) & (count - 1);
			while (d->access_slots[at])
				at = (at + 1) & (count - 1);
			d->access_slots[at] = i + 1;
		}
	}
	for (at = access_hash(d, a) & (d->access_slot_count - 1); d->access_slots[at]; at = (at + 1) & (d->access_slot_count - 1)) {
		const struct place_access *o = &d->accesses.items[d->access_slots[at] - 1];

		if (o->event == a->event && o->thread == a->thread && o->path == a->path && o->state == a->state &&
		    d->contexts.items[o->context].function == d->contexts.items[a->context].function)
			return true;
	}
	d->access_slots[at] = (uint32_t)d->accesses.count + 1;
	return false;
}

static void add_access(struct descent *d, uint32_t context, uint32_t event, path_id path, facts_id state)
{
	struct scan *s = d->s;
	struct place_access a = { .context = context, .event = event, .thread = d->contexts.items[context].thread, .path = path, .state = state };
	const struct path *root = path_at(s, path_at(s, path)->root);

	if (root->kind == PATH_INT || root->kind == PATH_FUNCTION)
		return;
	if (root->kind == PATH_GLOBAL && linked_global(s->program, root->a)->flags & IR_G_CONSTANT)
		return;
	a.owned = facts_find(s, state, FACT_OWN, path_at(s, path)->root) != NULL;
	if (a.owned && s->large)
		return;
	if (!access_known(d, &a))
		VEC_PUSH(&d->accesses, a);
}

static void call(struct descent *d, uint32_t context, uint32_t event, facts_id state, const struct rebind *r)
{
	struct scan *s = d->s;
	struct context c = d->contexts.items[context];
	const struct function_info *info = &s->functions[c.function];
	const struct event *e = &info->events[event];
	path_id actuals[e->actual_count + 1];

	for (uint32_t i = 0; i < e->actual_count; i++)
		actuals[i] = e->passed ? 0 : path_rebind(s, info->actuals[e->actual + i], r);
	for (const struct call_target *t = &info->targets[e->target]; t->function != IR_NO; t++) {
		uint32_t formals = scan_function(s, t->function)->formal_count;
		path_id args[formals + 1];
		struct context x = { .function = t->function, .thread = c.thread, .args = args, .arg_count = formals, .parent = context,
				     .parent_event = event, .how = t->how, .how_type = t->type, .how_field = t->field };

		if (!s->functions[t->function].defined)
			continue;
		called_from(d, t->function, e->passed ? UINT32_MAX - 2 : scan_site(s, c.function, e->instr));
		for (uint32_t i = 0; i < formals; i++)
			args[i] = bind_argument(d, t->function, i, i < e->actual_count ? actuals[i] : 0);
		x.state = facts_enter(s, state, t->function);
		add_context(d, &x);
	}
}

static void sync_event(struct descent *d, uint32_t context, uint32_t event, const struct event *e, facts_id state, const struct rebind *r)
{
	struct scan *s = d->s;
	struct sync_place p = { .kind = e->kind, .context = context, .event = event, .thread = d->contexts.items[context].thread,
				.path = e->path ? path_rebind(s, e->path, r) : 0, .value = e->value ? path_rebind(s, e->value, r) : 0, .state = state };

	VEC_PUSH(&d->syncs, p);
}

/* What is only of use between a function and its caller. */
static facts_id absolute(struct scan *s, facts_id state)
{
	uint32_t relative = 1u << FACT_RELEASED | 1u << FACT_ESCAPED | 1u << FACT_JOINED;

	if (!(facts_at(s, state)->kinds & relative))
		return state;
	state = facts_drop(s, state, FACT_RELEASED, 0);
	state = facts_drop(s, state, FACT_ESCAPED, 0);
	return facts_drop(s, state, FACT_JOINED, 0);
}

/* Do the arguments allow the way that leads here? */
static bool possible(struct scan *s, const struct event *e, const struct context *c)
{
	for (int i = 0; i < e->conditions; i++) {
		const struct path *arg = e->condition[i].formal < c->arg_count ? path_at(s, c->args[e->condition[i].formal]) : NULL;

		if (arg && arg->kind == PATH_INT && (arg->off != 0) != e->condition[i].nonzero)
			return false;
	}
	return true;
}

static void run_context(struct descent *d, uint32_t context, bool keep_relative)
{
	struct scan *s = d->s;
	struct context c = d->contexts.items[context];
	const struct function_info *info = &s->functions[c.function];
	struct rebind r = { .callee = c.function, .formal_count = scan_function(s, c.function)->formal_count, .actuals = c.args,
			    .actual_count = c.arg_count, .wrap_f = IR_NO, .parent = IR_NO };
	facts_id last = 0, last_abs = 0;

	for (uint32_t i = 0; i < info->event_count; i++) {
		const struct event *e = &info->events[i];

		if (!possible(s, e, &c))
			continue;
		if (e->state != last) {
			last = e->state;
			last_abs = facts_compose(s, c.state, facts_rebind(s, e->state, &r));
			if (!keep_relative)
				last_abs = absolute(s, last_abs);
		}
		if (!last_abs)
			continue;
		switch (e->kind) {
		case EVENT_ACCESS:
			add_access(d, context, i, path_rebind(s, e->path, &r), last_abs);
			break;
		case EVENT_CALL:
			call(d, context, i, last_abs, &r);
			break;
		case EVENT_SPAWN:
			if (keep_relative)
				break;
			if (e->target == IR_NO) {
				assume(s, ASSUME_UNRESOLVED_CALL, false, c.function, &scan_unit(s, c.function)->instrs[e->instr],
				       "a thread is created whose entry is not known");
				break;
			}
			for (const struct call_target *t = &info->targets[e->target]; t->function != IR_NO; t++)
				add_thread(d, context, i, t, last_abs, e->path ? path_rebind(s, e->path, &r) : 0, e->value ? path_rebind(s, e->value, &r) : 0);
			break;
		default:
			sync_event(d, context, i, e, last_abs, &r);
			break;
		}
	}
}

/* ---- roots --------------------------------------------------------------------------------------------------------- */

static void start(struct descent *d, struct scan *s)
{
	*d = (struct descent){ .s = s, .context_cap = s->large ? CONTEXTS_LARGE : CONTEXTS };
	d->formal_class = calloc(s->value_count + 1, sizeof(*d->formal_class));
	d->started = calloc(s->function_count + 1, 1);
	d->call_site = calloc(s->function_count + 1, sizeof(*d->call_site));
	if (!d->call_site || !d->formal_class || !d->started)
		BUG("out of memory");
}

static void add_root(struct descent *d, uint32_t f, uint32_t thread, facts_id state)
{
	struct scan *s = d->s;
	uint32_t formals = scan_function(s, f)->formal_count;
	path_id args[formals + 1];
	struct context c = { .function = f, .thread = thread, .state = state, .args = args, .arg_count = formals, .parent = IR_NO, .how_type = IR_NO };

	for (uint32_t i = 0; i < formals; i++)
		args[i] = path_plain(s, PATH_VALUE, f, i);
	called_from(d, f, UINT32_MAX - 3);
	add_context(d, &c);
}

static uint32_t root_thread(struct descent *d, uint32_t f, bool many)
{
	VEC_PUSH(&d->threads, (struct thread){ .function = f, .parent = IR_NO, .site = IR_NO, .many = many });
	return (uint32_t)d->threads.count - 1;
}

/* Entries where there is no main: what other code can call; of a recursion that nobody outside calls, what is visible or its first. */
static void exported(struct descent *d, uint32_t thread)
{
	struct scan *s = d->s;
	bool *called = calloc(s->function_count + 1, 1), *from_outside = calloc(s->scc_count + 1, 1);

	if (!called || !from_outside)
		BUG("out of memory");
	for (uint32_t f = 0; f < s->function_count; f++)
		for (uint32_t i = s->calls_first[f]; i < s->calls_first[f + 1]; i++) {
			called[s->calls[i]] = true;
			from_outside[s->functions[s->calls[i]].scc] |= s->functions[s->calls[i]].scc != s->functions[f].scc;
		}
	for (uint32_t f = 0; f < s->function_count; f++)
		if (s->functions[f].defined && !from_outside[s->functions[f].scc] && (scan_function(s, f)->linkage == IR_EXTERNAL || s->order[s->scc_first[s->functions[f].scc]] == f))
			called[f] = false;
	for (uint32_t f = 0; f < s->function_count; f++)
		if (s->functions[f].defined && s->functions[f].original == f && (!called[f] || (!s->options->kernel && scan_function(s, f)->linkage == IR_EXTERNAL)) &&
		    !(s->options->kernel && strstr(ir_string(scan_unit(s, f), scan_function(s, f)->section), "init")))
			add_root(d, f, thread, s->nothing);
	free(called);
	free(from_outside);
}

static void roots(struct descent *d)
{
	struct scan *s = d->s;
	uint32_t main_function = s->options->kernel ? IR_NO : linked_find_function(s->program, "main");

	if (main_function != IR_NO && s->functions[main_function].defined) {
		uint32_t thread = root_thread(d, main_function, false);

		facts_id state = s->nothing;

		for (uint32_t f = 0; f < s->function_count; f++) /* constructors run one after the other, in any order */
			if (s->functions[f].defined && scan_function(s, f)->constructor)
				state = facts_compose(s, state, absolute(s, facts_meet(s, facts_meet(s, s->functions[f].summary.exit[0], s->functions[f].summary.exit[1]), s->nothing)));
		for (uint32_t f = 0; f < s->function_count; f++)
			if (s->functions[f].defined && scan_function(s, f)->constructor)
				add_root(d, f, thread, state);
		add_root(d, main_function, thread, state);
	} else {
		uint32_t thread = root_thread(d, IR_NO, true);

		if (!s->options->kernel && !(s->options->entries && *s->options->entries))
			assume(s, ASSUME_NO_THREADS_SEEN, true, IR_NO, NULL, "no main: any exported function is taken to run in any number of threads");
		if (!s->options->entries || !*s->options->entries || s->options->kernel)
			exported(d, thread);
	}
	for (const char *const *name = s->options->entries; name && *name; name++) {
		uint32_t f = linked_find_function(s->program, *name);

		if (f == IR_NO || !s->functions[f].defined)
			assume(s, ASSUME_NO_THREADS_SEEN, false, IR_NO, NULL, "--entry %s: no such function", *name);
		else
			add_root(d, f, root_thread(d, f, true), s->nothing);
	}
}

static void drain(struct descent *d, bool keep_relative)
{
	size_t limit = d->s->large ? 4000000 : 400000;

	for (size_t i = 0; i < d->work.count; i++) {
		run_context(d, d->work.items[i], keep_relative);
		if (d->contexts.count > limit || d->accesses.count > 20 * limit) {
			assume(d->s, ASSUME_BUDGET, false, IR_NO, NULL, "more than %zu contexts: the rest is left out", limit);
			d->cut = true;
			return;
		}
		if (d->s->options->progress && i % 4096 == 4095)
			d->s->options->progress(d->s->options->context, "contexts", i, d->work.count);
	}
}

void descend(struct descent *d, struct scan *s)
{
	start(d, s);
	roots(d);
	drain(d, false);
}

void descend_one(struct descent *d, struct scan *s, uint32_t function)
{
	start(d, s);
	d->context_cap = 1000;
	add_root(d, function, root_thread(d, function, false), s->nothing);
	drain(d, true);
}

void descent_free(struct descent *d)
{
	for (size_t i = 0; i < d->threads.count; i++)
		VEC_FREE(&d->threads.items[i].born);
	VEC_FREE(&d->contexts);
	VEC_FREE(&d->threads);
	VEC_FREE(&d->accesses);
	VEC_FREE(&d->syncs);
	VEC_FREE(&d->work);
	free(d->groups);
	free(d->formal_class);
	free(d->started);
	free(d->call_site);
	free(d->bucket);
	free(d->slots);
	free(d->access_slots);
}
