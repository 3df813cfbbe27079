/* analyse - see analyse.h. The passes, in order; each is a file of its own (internal.h lists them). */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

#define DEPTH 6           /* loads in a path: d->priv->stats->x has three */
#define BUDGET 4000000    /* instructions visited for one function: a hundred rounds over the largest of a kernel */
#define LARGE 4000        /* instructions: beyond, flags are not followed and contexts are few (pigz has 10,431 and did not end) */

/* The passes that have no count of their own. */
static void phase(const struct scan *s, const char *name)
{
	if (s->options->progress)
		s->options->progress(s->options->context, name, 0, 0);
}

/* A row more: the next of the program, or a copy of one. */
void functions_add(struct scan *s, struct linked_symbol symbol, uint32_t original)
{
	const struct ir_unit *unit = &s->program->units[symbol.unit];
	const struct ir_function *function = &unit->functions[symbol.index];
	struct function_info info = { .original = original, .value_base = (uint32_t)s->value_count, .site_base = (uint32_t)s->instr_count };

	if (s->function_count == s->function_room) {
		s->function_room = s->function_room * 2 > 64 ? s->function_room * 2 : 64;
		s->functions = realloc(s->functions, (s->function_room + 1) * sizeof(*s->functions));
		s->with_copies.functions = realloc(s->with_copies.functions, (s->function_room + 1) * sizeof(*s->with_copies.functions));
		if (!s->functions || !s->with_copies.functions)
			BUG("out of memory");
	}
	s->value_count += (function->block_count ? function->value_count : function->formal_count) + 1;
	info.model = models_find(s->models, ir_string(unit, function->name));
	/* What the program brings itself counts, whatever the name; but a kernel's locks are made of asm,
	 * and a project's own model was written to be believed. */
	info.defined = !symbol.external && function->block_count && !(info.model && (s->options->kernel || strncmp(info.model->where, "models/", 7)));
	info.first_instr = function->block_count ? unit->blocks[function->first_block].first : 0;
	for (uint32_t b = 0; b < function->block_count; b++) {
		const struct ir_block *block = &unit->blocks[function->first_block + b];

		if (block->first < info.first_instr)
			BUG("blocks of a function are not in order");
		if (block->first + block->count - info.first_instr > info.instr_count)
			info.instr_count = block->first + block->count - info.first_instr;
	}
	s->instr_count += info.instr_count;
	s->functions[s->function_count] = info;
	s->with_copies.functions[s->function_count++] = symbol;
	s->with_copies.function_count = s->function_count;
}

static void prepare(struct scan *s, const struct linked *program)
{
	s->with_copies = *program;
	s->program = &s->with_copies;
	s->with_copies.functions = NULL;
	s->function_room = program->function_count;
	s->functions = malloc((s->function_room + 1) * sizeof(*s->functions));
	s->with_copies.functions = malloc((s->function_room + 1) * sizeof(*s->with_copies.functions));
	if (!s->functions || !s->with_copies.functions)
		BUG("out of memory");
	for (uint32_t f = 0; f < program->function_count; f++)
		functions_add(s, program->functions[f], f);
	s->large = s->options->kernel || s->instr_count > LARGE;
	s->parallel = s->options->kernel || linked_find_function(program, "main") == IR_NO;
	if (!s->options->kernel)
		wrappers_copy(s);
}

static void begin(struct scan *s, const struct linked *program, const struct models *models, const struct analyse_options *options)
{
	*s = (struct scan){ .models = models, .options = options, .depth = options->path_depth ? options->path_depth : DEPTH,
			    .budget = options->budget ? options->budget : BUDGET };
	pthread_mutex_init(&s->assume_lock, NULL);
	prepare(s, program);
	paths_begin(s);
	facts_begin(s);
	phase(s, "function pointers");
	calls_signatures(s);
	if (options->kernel) {
		assume(s, ASSUME_CAST, false, IR_NO, NULL, "function pointers are followed by struct field: what is stored by way of another type is not seen");
		pointers_make(s);
	}
	phase(s, "points-to");
	points_to(s);
	phase(s, "calls");
	calls_make(s);
	phase(s, "summaries");
	summaries(s);
}

static void end(struct scan *s)
{
	for (size_t f = 0; f < s->function_count; f++) {
		free(s->functions[f].events);
		free(s->functions[f].targets);
		free(s->functions[f].actuals);
	}
	points_to_free(s);
	pointers_free(s);
	VEC_FREE(&s->resolved);
	intern_end(&s->paths);
	intern_end(&s->sets);
	VEC_FREE(&s->assumptions);
	free(s->assume_slots);
	VEC_FREE(&s->fixed);
	VEC_FREE(&s->copies);
	free(s->functions);
	free(s->with_copies.functions);
	arena_free(&s->arena);
}

static int by_text(const void *x, const void *y)
{
	const struct scan_assumption *a = x, *b = y;
	int c = (int)a->sound - (int)b->sound;

	c = c ? c : (int)a->kind - (int)b->kind;
	return c ? c : strcmp(a->text, b->text);
}

static void whole_program_assumptions(struct scan *s)
{
	for (size_t u = 0; u < s->program->unit_count; u++) {
		const struct ir_unit *unit = &s->program->units[u];

		if (unit->header->flags & IR_UNIT_MODULE_ASM)
			assume(s, ASSUME_ASM, false, IR_NO, NULL, "assembly at file level in %s", ir_string(unit, unit->header->source));
	}
}

static void conclude(struct scan *s, struct descent *d, struct scan_result *result, struct arena *arena)
{
	bool sound = true;

	whole_program_assumptions(s);
	if (s->assumptions.count)
		qsort(s->assumptions.items, s->assumptions.count, sizeof(struct scan_assumption), by_text);
	result->assumption_count = s->assumptions.count;
	result->assumptions = ARENA_ARRAY(arena, struct scan_assumption, s->assumptions.count + 1);
	for (size_t i = 0; i < s->assumptions.count; i++) {
		result->assumptions[i] = s->assumptions.items[i];
		result->assumptions[i].text = arena_strdup(arena, s->assumptions.items[i].text);
		result->assumptions[i].file = arena_strdup(arena, s->assumptions.items[i].file);
		sound &= s->assumptions.items[i].sound;
	}
	result->race_free = sound && !result->pair_count;
	result->thread_count = d->threads.count;
	result->access_count = d->accesses.count;
	for (size_t f = 0; f < s->program->symbol_count; f++) {
		result->function_count += s->functions[f].defined;
		result->summarised_count += s->functions[f].defined && !s->functions[f].cut;
	}
}

int analyse(struct scan_result *result, struct arena *arena, const struct linked *program, const struct models *models,
	    const struct analyse_options *options)
{
	struct scan s;
	struct descent d;

	*result = (struct scan_result){ 0 };
	begin(&s, program, models, options);
	phase(&s, "contexts");
	descend(&d, &s);
	threads_settle(&d);
	exclude_begin(&d);
	phase(&s, "pairs");
	pairs_make(&d, result, arena);
	conclude(&s, &d, result, arena);
	descent_free(&d);
	end(&s);
	return 0;
}

/* ---- --summary ------------------------------------------------------------------------------------------------ */

static int by_string(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* {a, b}: the names of all facts of a kind, sorted. */
static void names(struct scan *s, struct strbuf *out, facts_id set, enum fact_kind kind)
{
	const struct facts *facts = facts_at(s, set);
	char *list[FACT_KIND_COUNT + 256];
	size_t count = 0;
	struct arena arena = ARENA_INIT;

	for (uint32_t i = 0; i < facts->count && count < 256; i++)
		if (facts->items[i].kind == kind) {
			struct strbuf name = STRBUF_INIT;

			if (facts->items[i].path)
				path_text(s, &name, facts->items[i].path, true);
			else
				strbuf_puts(&name, "any");
			list[count++] = arena_strdup(&arena, name.buf);
			strbuf_release(&name);
		}
	qsort(list, count, sizeof(*list), by_string);
	strbuf_putc(out, '{');
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(list[i], list[i - 1]))
			strbuf_printf(out, "%s%s", i ? ", " : "", list[i]);
	strbuf_putc(out, '}');
	arena_free(&arena);
}

static void lockset(struct scan *s, struct strbuf *out, facts_id set)
{
	strbuf_putc(out, '(');
	names(s, out, set, FACT_HELD);
	strbuf_puts(out, ", ");
	names(s, out, set, FACT_RELEASED);
	strbuf_putc(out, ')');
}

static void access_lines(struct descent *d, struct strbuf *out)
{
	struct scan *s = d->s;
	VEC(char *) lines = { 0 };
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < d->accesses.count; i++) {
		const struct place_access *a = &d->accesses.items[i];
		const struct event *e = descent_event(d, a->context, a->event);
		struct strbuf line = STRBUF_INIT;

		if (a->owned)
			continue;
		path_text(s, &line, a->path, true);
		strbuf_puts(&line, "  ");
		lockset(s, &line, a->state);
		strbuf_printf(&line, "  %s%s", access_kind_name(e->flags), e->flags & ACCESS_ATOMIC ? " atomic" : "");
		VEC_PUSH(&lines, arena_strdup(&arena, line.buf));
		strbuf_release(&line);
	}
	if (lines.count)
		qsort(lines.items, lines.count, sizeof(char *), by_string);
	for (size_t i = 0; i < lines.count; i++) /* the paper's triple: one place in the code or ten are one access */
		if (!i || strcmp(lines.items[i], lines.items[i - 1]))
			strbuf_printf(out, "  %s\n", lines.items[i]);
	VEC_FREE(&lines);
	arena_free(&arena);
}

int analyse_summary(struct strbuf *out, const struct linked *program, const struct models *models, const struct analyse_options *options,
		    const char *function)
{
	uint32_t f = linked_find_function(program, function);
	struct scan s;
	struct descent d;
	facts_id exit;

	if (f == IR_NO)
		return error_usage("no function %s in the program (a static one of several is not named by its name alone)", function);
	begin(&s, program, models, options);
	if (!s.functions[f].defined) {
		end(&s);
		return error("%s has no body here: its model says what it does", function);
	}
	descend_one(&d, &s, f);
	exit = facts_meet(&s, s.functions[f].summary.exit[0], s.functions[f].summary.exit[1]);
	strbuf_printf(out, "%s\n  relative lockset: ", function);
	if (exit)
		lockset(&s, out, exit);
	else
		strbuf_puts(out, "does not return");
	if (exit && s.functions[f].summary.exit[0] != s.functions[f].summary.exit[1] && s.functions[f].summary.exit[0] && s.functions[f].summary.exit[1]) {
		strbuf_puts(out, "\n    if it returns 0: ");
		lockset(&s, out, s.functions[f].summary.exit[0]);
		strbuf_puts(out, "\n    if not 0: ");
		lockset(&s, out, s.functions[f].summary.exit[1]);
	}
	strbuf_puts(out, "\n  guarded accesses:\n");
	access_lines(&d, out);
	descent_free(&d);
	end(&s);
	return 0;
}
