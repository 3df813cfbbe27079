/*
 * format_github - workflow commands that GitHub Actions shows beside the changed lines.
 *
 * What was shown is an error where side a stands and a notice where side b stands; what is
 * not confirmed is a notice. Suppressed findings are left out. GitHub shows ten of each
 * kind a step: the worst come first, as in every format.
 */
#include <string.h>

#include "report/internal.h"

/* Messages escape %, CR and LF; properties also : and , (GitHub's own rules). */
static const char *escape(struct arena *arena, const char *text, bool property)
{
	char *out = arena_alloc(arena, 3 * strlen(text) + 1), *w = out;

	for (; *text; text++)
		if (strchr("%\r\n", *text) || (property && strchr(":,", *text)))
			w += sprintf(w, "%%%02X", (unsigned char)*text);
		else
			*w++ = *text;
	return out;
}

static void print_command(const struct report *r, FILE *out, const char *level, const char *file, int line, int column,
			  const char *title, const char *message)
{
	fprintf(out, "::%s ", level);
	if (file && *file && line > 0) {
		fprintf(out, "file=%s,line=%d,", escape(r->arena, file, true), line);
		if (column > 0)
			fprintf(out, "col=%d,", column);
	}
	fprintf(out, "title=%s::%s\n", escape(r->arena, title, true), escape(r->arena, message, false));
}

static const char *side_text(struct arena *arena, char side, const struct access *a)
{
	const char *locks = a->lock_count ? "" : "no locks held";

	for (size_t i = 0; i < a->lock_count; i++)
		locks = arena_printf(arena, "%s%s%s%s", locks, i ? ", " : "holds ", a->locks[i].name,
				     a->locks[i].mode == LOCK_READ ? " (for reading)" : "");
	return arena_printf(arena, "%c: %s in %s at %s%s%s, %s%s%s\n", side, access_words(arena, a), function_short(arena, a->function),
			    access_where(arena, a), a->thread ? " by " : "", a->thread ? a->thread : "", locks,
			    a->value ? ", value " : "", a->value ? a->value : "");
}

static const char *candidate_text(const struct report *r, const struct candidate *c)
{
	const char *text = arena_printf(r->arena, "%s%s", side_text(r->arena, 'a', &c->access[0]),
					side_text(r->arena, 'b', &c->access[1]));

	if (c->memory)
		text = arena_printf(r->arena, "%smemory: %s\n", text, c->memory);
	text = arena_printf(r->arena, "%s%s, hit in %u of %u trials", text, rung_name(c->rung), c->hits, c->trials);
	for (size_t i = 0; i < c->outcome_count; i++)
		text = arena_printf(r->arena, "%s%s%u %s%s", text, i ? ", " : ": ", c->outcomes[i].count, c->outcomes[i].name,
				    c->outcomes[i].harm && c->outcomes[i].a_first + c->outcomes[i].b_first ? " (harm)" : "");
	if (report_hint(r, c))
		text = arena_printf(r->arena, "%s\nhint: %s", text, report_hint(r, c));
	if (c->witness)
		text = arena_printf(r->arena, "%s\nrepeat it: %s", text, replay_line(r, c->id));
	return text;
}

/* Where the reader's own code is: GitHub shows nothing beside a header of the system. */
static void print_side_command(const struct report *r, FILE *out, const char *level, const struct access *a, const char *title,
			       const char *text)
{
	const struct frame *own = own_frame(a);

	if (own)
		print_command(r, out, level, own->file, own->line, own->column, title, text);
	else
		print_command(r, out, level, a->file, a->line, a->column, title, text);
}

static void print_candidate_commands(const struct report *r, FILE *out, const struct candidate *c)
{
	const char *title = report_title(r->arena, c), *text = candidate_text(r, c);

	if (c->suppressed)
		return;
	print_side_command(r, out, is_shown_race(c) ? "error" : "notice", &c->access[0], title, text);
	if (is_shown_race(c))
		print_side_command(r, out, "notice", &c->access[1], title, text);
}

static void print_deadlock_command(const struct report *r, FILE *out, const struct deadlock *d)
{
	static const struct frame nowhere;
	const struct frame *at = d->edge_count && d->edges[0].stack_count ? &d->edges[0].stack[0] : &nowhere;
	const char *text = "";

	if (d->suppressed)
		return;
	for (size_t i = 0; i < d->edge_count; i++)
		text = arena_printf(r->arena, "%s%s%zu holds %s and %s %s%s%s", text, i ? "\n" : "", i + 1, d->edges[i].holds,
				    d->rung >= RUNG_CONFIRMED ? "waits for" : "asks for", d->edges[i].waits_for,
				    d->edges[i].stack_count ? " at " : "",
				    d->edges[i].stack_count ? frame_where(r->arena, &d->edges[i].stack[0]) : "");
	if (deadlock_hint(r, d))
		text = arena_printf(r->arena, "%s\nhint: %s", text, deadlock_hint(r, d));
	if (d->witness)
		text = arena_printf(r->arena, "%s\nrepeat it: %s", text, replay_line(r, d->id));
	print_command(r, out, d->rung >= RUNG_CONFIRMED ? "error" : "notice", at->file, at->line, at->column,
		      deadlock_title(r->arena, d), text);
}

static void print_failure_command(const struct report *r, FILE *out, const struct failure *f)
{
	const char *text = arena_printf(r->arena, "seen %u time%s", f->count, f->count == 1 ? "" : "s");

	if (f->suppressed)
		return;
	if (f->witness)
		text = arena_printf(r->arena, "%s\nrepeat it: %s", text, replay_line(r, f->id));
	print_command(r, out, "error", NULL, 0, 0, failure_title(r->arena, f), text);
}

int report_github(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;

	for (size_t i = 0; i < f->candidate_count; i++)
		print_candidate_commands(r, out, &f->candidates[i]);
	for (size_t i = 0; i < f->deadlock_count; i++)
		print_deadlock_command(r, out, &f->deadlocks[i]);
	for (size_t i = 0; i < f->failure_count; i++)
		print_failure_command(r, out, &f->failures[i]);
	fprintf(out, "verdict: %s\n", verdict_name(r->verdict));
	return finish_report(out);
}
