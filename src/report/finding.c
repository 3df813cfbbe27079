/*
 * finding - one finding in full, as text for people, readable at 80 columns.
 *
 * The two sides are called a and b here and in the tallies ("a first 48"): a is access[0]
 * of the candidate. They stand side by side where the terminal is wide enough for it;
 * in 80 columns two excerpts with stacks would be cut to nothing, so there one is above
 * the other.
 */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

static const char *known(const char *name)
{
	return name && *name ? name : "??";
}

static const char *title_style(const struct ink *ink, enum rung rung)
{
	return rung == RUNG_HARMFUL ? ink->red : rung == RUNG_CONFIRMED ? ink->yellow : ink->bold;
}

static void print_head(const struct report *r, const struct ink *ink, const char *title, enum rung rung,
		       const char *id, unsigned found_by)
{
	fprintf(ink->out, "%s%s", ink->bold, title_style(ink, rung));
	print_wrapped(ink, 4, title);
	fprintf(ink->out, "%s  %s%s: id %s, found by %s%s\n", ink->plain, ink->dim, rung_name(rung), id, finder_list(r->arena, found_by),
		ink->plain);
}

static void print_triage(const struct report *r, const struct ink *ink, const char *id, const char *suppressed)
{
	const char *state = baseline_state(r, id);

	if (suppressed)
		fprintf(ink->out, "  suppressed: %s\n", suppressed);
	if (state)
		fprintf(ink->out, "  %s\n", !strcmp(state, "new") ? "new: not in the baseline" : "known: in the baseline");
}

/* ---- the two sides ---------------------------------------------------------------- */

static void print_locks(const struct ink *ink, const struct access *a)
{
	if (!a->lock_count) {
		fputs("     no locks held\n", ink->out);
		return;
	}
	fputs("     holds ", ink->out);
	for (size_t i = 0; i < a->lock_count; i++)
		fprintf(ink->out, "%s%s%s", i ? ",\n           " : "", a->locks[i].name,
			a->locks[i].mode == LOCK_READ ? " (for reading)" : "");
	fputc('\n', ink->out);
}

static void print_source_line(const struct report *r, const struct ink *ink, const char *file, int line, bool here)
{
	const char *text = r->sym ? sym_source_line(r->sym, file, line) : NULL;

	if (!text)
		return;
	fprintf(ink->out, "     %s%c %4d |%s", here ? ink->bold : ink->dim, here ? '>' : ' ', line, *text ? " " : "");
	print_cut(ink, 14, text);
	fprintf(ink->out, "%s\n", ink->plain);
}

static void print_excerpt(const struct report *r, const struct ink *ink, const char *file, int line)
{
	for (int n = line > 1 ? line - 1 : 1; line && n <= line + 1; n++)
		print_source_line(r, ink, file, n, n == line);
}

/* Of an access in a header of the system the place that is the reader's own matters more. */
static void print_source(const struct report *r, const struct ink *ink, const struct access *a)
{
	const struct frame *own = own_frame(a);

	if (own)
		fprintf(ink->out, "     called at %s\n", frame_where(r->arena, own));
	print_excerpt(r, ink, own ? own->file : a->file, own ? own->line : a->line);
}

static void print_stack(const struct report *r, const struct ink *ink, const struct frame *stack, size_t count)
{
	count = stack_depth(stack, count);
	for (size_t i = 0; i < count; i++) {
		const char *where = frame_where(r->arena, &stack[i]);

		fputs(ink->dim, ink->out);
		print_split(ink, 8, arena_printf(r->arena, "     #%zu %s", i, function_short(r->arena, stack[i].function)),
			    stack[i].inlined ? arena_printf(r->arena, "%s (inlined)", where) : where);
		fputs(ink->plain, ink->out);
	}
}

static void print_access(const struct report *r, const struct ink *ink, char side, const struct access *a)
{
	fputs(ink->bold, ink->out);
	print_split(ink, 5, arena_printf(r->arena, "  %c  %s in %s", side, access_words(r->arena, a),
					 function_short(r->arena, a->function)),
		    arena_printf(r->arena, "at %s", access_where(r->arena, a)));
	fputs(ink->plain, ink->out);
	if (a->thread) {
		fputs("     by ", ink->out);
		print_wrapped(ink, 8, a->thread);
	}
	print_locks(ink, a);
	if (a->value)
		fprintf(ink->out, "     value %s%s\n", strstr(a->value, "->") ? "" : "before: ", a->value);
	print_source(r, ink, a);
	print_stack(r, ink, a->stack, a->stack_count);
}

#define WIDE 110 /* columns: half of it holds a line of source */

static char *side_text(const struct report *r, const struct ink *ink, char side, const struct access *a)
{
	struct ink half = *ink;
	char *text = NULL;
	size_t size;

	half.width = column_width(ink);
	half.out = open_memstream(&text, &size);
	print_access(r, &half, side, a);
	fclose(half.out);
	return text;
}

static bool print_beside(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	char *a, *b;
	bool done;

	if (ink->width < WIDE)
		return false;
	a = side_text(r, ink, 'a', &c->access[0]);
	b = side_text(r, ink, 'b', &c->access[1]);
	done = print_columns(ink, a, b);
	free(a);
	free(b);
	return done;
}

static void print_sides(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	fputc('\n', ink->out);
	if (!print_beside(r, ink, c)) {
		print_access(r, ink, 'a', &c->access[0]);
		fputc('\n', ink->out);
		print_access(r, ink, 'b', &c->access[1]);
	}
	fputc('\n', ink->out);
}

static void print_memory(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	const char *comma = c->variable && c->memory ? ", " : "";

	fputs("  memory: ", ink->out);
	print_wrapped(ink, 10, arena_printf(r->arena, "%s%s%s", c->variable ? c->variable : "", comma, c->memory ? c->memory : ""));
}

/* ---- how often, and what came of it -------------------------------------------------- */

static void print_tally(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	if (!c->trials && c->rung < RUNG_CONFIRMED)
		fprintf(ink->out, "  not tried yet: deadheat confirm %s\n", short_id(r, c->id));
	if (c->trials)
		fprintf(ink->out, "  hit in %u of %u trial%s%s\n", c->hits, c->trials, c->trials == 1 ? "" : "s",
			c->hits ? ": both threads stood before their accesses at once" : "");
}

/* An ending in trials in which the pair did not meet is not its harm. */
static const char *harm_word(const struct outcome *o)
{
	return !o->harm ? "" : o->a_first + o->b_first ? "   harm" : "   harm, but not of this pair";
}

static void print_outcome(const struct ink *ink, const struct outcome *o)
{
	fprintf(ink->out, "     %s%-14s %6u %9u %9u%s%s\n", o->harm ? ink->red : "", o->name, o->count, o->a_first, o->b_first,
		harm_word(o), o->harm ? ink->plain : "");
}

static void print_outcomes(const struct ink *ink, const struct candidate *c)
{
	if (c->outcome_count)
		fprintf(ink->out, "     %s%-14s %6s %9s %9s%s\n", ink->dim, "ended in", "trials", "a first", "b first", ink->plain);
	for (size_t i = 0; i < c->outcome_count; i++)
		print_outcome(ink, &c->outcomes[i]);
}

/* Which order does it: said only when every harmful ending that met the pair agrees. */
static void print_harm(const struct ink *ink, const struct candidate *c)
{
	unsigned a_first = 0, b_first = 0, count = 0;
	const char *name = NULL;

	for (size_t i = 0; i < c->outcome_count; i++) {
		const struct outcome *o = &c->outcomes[i];

		if (!o->harm || !(o->a_first + o->b_first))
			continue;
		name = name ? name : o->name;
		count += o->a_first + o->b_first;
		a_first += o->a_first;
		b_first += o->b_first;
	}
	if (!name)
		return;
	fprintf(ink->out, "  %sharm: ended in %s%s, which the undisturbed run does not", ink->red, name, ink->plain);
	if (count >= 3 && (!a_first || !b_first))
		fprintf(ink->out, ";\n        only seen when %c goes first", a_first ? 'a' : 'b');
	fputc('\n', ink->out);
}

static void print_hint(const struct ink *ink, const char *hint)
{
	if (!hint)
		return;
	fprintf(ink->out, "  %shint:%s ", ink->green, ink->plain);
	print_wrapped(ink, 8, hint);
}

static void print_witness(const struct report *r, const struct ink *ink, const char *id, const struct witness *w)
{
	if (!w)
		return;
	fprintf(ink->out, "  a run that shows it: %llu step%s, %u switch%s, ended in %s (%s, seed %llu)\n",
		(unsigned long long)w->steps, w->steps == 1 ? "" : "s", w->switches, w->switches == 1 ? "" : "es",
		known(w->outcome), known(w->policy), (unsigned long long)w->seed);
	print_interleaving(r, ink, id);
	fprintf(ink->out, "  repeat it: %s%s%s\n", ink->bold, replay_line_typed(r, id), ink->plain);
}

void print_candidate(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	print_head(r, ink, report_title(r->arena, c), c->rung, c->id, c->found_by);
	print_triage(r, ink, c->id, c->suppressed);
	print_sides(r, ink, c);
	if (c->memory || c->variable)
		print_memory(r, ink, c);
	print_tally(r, ink, c);
	print_outcomes(ink, c);
	print_harm(ink, c);
	print_hint(ink, report_hint(r, c));
	print_witness(r, ink, c->id, c->witness);
}

/* ---- the others ------------------------------------------------------------------------ */

/* " (taken at bank.c:12)" where that is known. */
static const char *taken_at(const struct report *r, const struct place *place)
{
	struct frame *frames;

	if (!r->sym || !place->module || !*place->module)
		return "";
	sym_frames(r->sym, r->arena, place, &frames, NULL);
	return frames[0].line ? arena_printf(r->arena, " (taken at %s)", frame_where(r->arena, &frames[0])) : "";
}

void print_deadlock(const struct report *r, const struct ink *ink, const struct deadlock *d)
{
	print_head(r, ink, deadlock_title(r->arena, d), d->rung, d->id, d->found_by);
	print_triage(r, ink, d->id, d->suppressed);
	for (size_t i = 0; i < d->edge_count; i++) {
		const struct deadlock_edge *e = &d->edges[i];

		fprintf(ink->out, "\n  %-2zu holds %s%s\n     %s %s\n", i + 1, known(e->holds), taken_at(r, &e->held_at),
			d->rung >= RUNG_CONFIRMED ? "waits for" : "asks for", known(e->waits_for));
		print_stack(r, ink, e->stack, e->stack_count);
	}
	if (d->trials || d->witness || d->rung < RUNG_CONFIRMED || deadlock_hint(r, d))
		fputc('\n', ink->out);
	if (d->trials)
		fprintf(ink->out, "  happened in %u of %u trial%s\n", d->hits, d->trials, d->trials == 1 ? "" : "s");
	else if (d->rung < RUNG_CONFIRMED)
		fprintf(ink->out, "  not tried yet: deadheat confirm %s\n", short_id(r, d->id));
	print_hint(ink, deadlock_hint(r, d));
	print_witness(r, ink, d->id, d->witness);
}

void print_failure(const struct report *r, const struct ink *ink, const struct failure *f)
{
	fprintf(ink->out, "%s%s%s%s\n", ink->bold, ink->red, failure_title(r->arena, f), ink->plain);
	fprintf(ink->out, "  %sid %s%s\n", ink->dim, f->id, ink->plain);
	print_triage(r, ink, f->id, f->suppressed);
	fprintf(ink->out, "  seen %u time%s\n", f->count, f->count == 1 ? "" : "s");
	print_witness(r, ink, f->id, f->witness);
}
