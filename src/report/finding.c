/*
 * finding - one finding in full, as text for people, readable at 80 columns.
 *
 * The two sides are called a and b here and in the tallies ("a first 48"): a is access[0]
 * of the candidate. They stand one above the other; side by side two stacks with file
 * names do not fit into 80 columns.
 */
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
	fprintf(ink->out, "%s%s%s%s\n", ink->bold, title_style(ink, rung), title, ink->plain);
	fprintf(ink->out, "  %s%s: id %s, found by %s%s\n", ink->dim, rung_name(rung), id, finder_list(r->arena, found_by),
		ink->plain);
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

static void print_source_line(const struct report *r, const struct ink *ink, const struct access *a, int line)
{
	const char *text = r->sym ? sym_source_line(r->sym, a->file, line) : NULL;
	bool here = line == a->line;

	if (!text)
		return;
	fprintf(ink->out, "     %s%c %4d |%s", here ? ink->bold : ink->dim, here ? '>' : ' ', line, *text ? " " : "");
	print_cut(ink, 14, text);
	fprintf(ink->out, "%s\n", ink->plain);
}

static void print_stack(const struct report *r, const struct ink *ink, const struct frame *stack, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(ink->out, "     %s#%zu %s %s%s%s\n", ink->dim, i, function_short(r->arena, stack[i].function),
			frame_where(r->arena, &stack[i]), stack[i].inlined ? " (inlined)" : "", ink->plain);
}

static void print_access(const struct report *r, const struct ink *ink, char side, const struct access *a)
{
	const char *atomic = a->flags & ACCESS_ATOMIC ? "atomic " : a->flags & ACCESS_VOLATILE ? "volatile " : "";
	const char *kind = a->flags & ACCESS_FREE ? "free" : access_kind_name(a->flags);

	fprintf(ink->out, "\n  %c  %s%s", side, atomic, kind);
	if (a->size)
		fprintf(ink->out, " of %u byte%s", a->size, a->size == 1 ? "" : "s");
	fprintf(ink->out, " in %s%s%s at %s\n", ink->bold, function_short(r->arena, a->function), ink->plain,
		access_where(r->arena, a));
	if (a->thread)
		fprintf(ink->out, "     by %s\n", a->thread);
	print_locks(ink, a);
	if (a->value)
		fprintf(ink->out, "     value %s\n", a->value);
	if (a->line)
		for (int line = a->line > 1 ? a->line - 1 : 1; line <= a->line + 1; line++)
			print_source_line(r, ink, a, line);
	print_stack(r, ink, a->stack, a->stack_count);
}

/* ---- how often, and what came of it -------------------------------------------------- */

static void count_orders(const struct candidate *c, unsigned *a_first, unsigned *b_first)
{
	*a_first = *b_first = 0;
	for (size_t i = 0; i < c->outcome_count; i++) {
		*a_first += c->outcomes[i].a_first;
		*b_first += c->outcomes[i].b_first;
	}
}

static void print_tally(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	unsigned a_first, b_first;

	if (!c->trials) {
		if (c->rung < RUNG_CONFIRMED)
			fprintf(ink->out, "  not tried yet: deadheat confirm %s\n", short_id(r, c->id));
		return;
	}
	count_orders(c, &a_first, &b_first);
	fprintf(ink->out, "  hit in %u of %u trials", c->hits, c->trials);
	if (c->hits)
		fprintf(ink->out, "; a first %u, b first %u", a_first, b_first);
	fputc('\n', ink->out);
}

static void print_outcome(const struct ink *ink, const struct outcome *o)
{
	fprintf(ink->out, "     %s%-12s %6u%s", o->harm ? ink->red : "", o->name, o->count, o->harm ? ink->plain : "");
	if (o->a_first || o->b_first)
		fprintf(ink->out, "   a first %u, b first %u", o->a_first, o->b_first);
	fprintf(ink->out, "%s\n", o->harm ? "   harm" : "");
}

static void print_outcomes(const struct ink *ink, const struct candidate *c)
{
	if (c->outcome_count)
		fputs("  outcomes:\n", ink->out);
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

/* When one side holds locks and the other none, that is most likely what is missing. */
static void print_hint(const struct ink *ink, const struct candidate *c)
{
	int with = c->access[0].lock_count ? 0 : 1;
	const struct access *a = &c->access[with];

	if (!a->lock_count || c->access[1 - with].lock_count)
		return;
	fprintf(ink->out, "  hint: %c holds %s%s, %c holds no lock\n", 'a' + with, a->locks[0].name,
		a->lock_count > 1 ? " and others" : "", 'b' - with);
}

static void print_witness(const struct report *r, const struct ink *ink, const char *id, const struct witness *w)
{
	if (!w)
		return;
	fprintf(ink->out, "  witness: seed %llu, policy %s, %llu step%s, %u context switch%s, ended as %s\n",
		(unsigned long long)w->seed, known(w->policy), (unsigned long long)w->steps, w->steps == 1 ? "" : "s",
		w->switches, w->switches == 1 ? "" : "es", known(w->outcome));
	print_interleaving(r, ink, id);
	fprintf(ink->out, "  repeat it: %s%s%s\n", ink->bold, replay_line(r, id), ink->plain);
}

void print_candidate(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	print_head(r, ink, report_title(r->arena, c), c->rung, c->id, c->found_by);
	if (c->suppressed)
		fprintf(ink->out, "  suppressed: %s\n", c->suppressed);
	print_access(r, ink, 'a', &c->access[0]);
	print_access(r, ink, 'b', &c->access[1]);
	fputc('\n', ink->out);
	if (c->memory || c->variable)
		fprintf(ink->out, "  memory: %s%s%s\n", c->variable ? c->variable : "",
			c->variable && c->memory ? ", " : "", c->memory ? c->memory : "");
	print_tally(r, ink, c);
	print_outcomes(ink, c);
	print_harm(ink, c);
	print_hint(ink, c);
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
	for (size_t i = 0; i < d->edge_count; i++) {
		const struct deadlock_edge *e = &d->edges[i];

		fprintf(ink->out, "\n  %-2zu holds %s%s\n     %s %s\n", i + 1, known(e->holds), taken_at(r, &e->held_at),
			d->rung >= RUNG_CONFIRMED ? "waits for" : "asks for", known(e->waits_for));
		print_stack(r, ink, e->stack, e->stack_count);
	}
	if (d->trials || d->witness || d->rung < RUNG_CONFIRMED)
		fputc('\n', ink->out);
	if (d->trials)
		fprintf(ink->out, "  happened in %u of %u trials\n", d->hits, d->trials);
	else if (d->rung < RUNG_CONFIRMED)
		fprintf(ink->out, "  not tried yet: deadheat confirm %s\n", short_id(r, d->id));
	print_witness(r, ink, d->id, d->witness);
}

void print_failure(const struct report *r, const struct ink *ink, const struct failure *f)
{
	fprintf(ink->out, "%s%s%s%s\n", ink->bold, ink->red, failure_title(r->arena, f), ink->plain);
	fprintf(ink->out, "  %sid %s%s\n", ink->dim, f->id, ink->plain);
	fprintf(ink->out, "  seen %u time%s\n", f->count, f->count == 1 ? "" : "s");
	print_witness(r, ink, f->id, f->witness);
}
