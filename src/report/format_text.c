/* format_text - the whole report, `show` and `list` for people. */
#include <string.h>

#include "base/error.h"
#include "report/internal.h"

struct ink ink_for(FILE *out)
{
	return (struct ink){ .out = out, .width = tty_width(out), .plain = tty_style(out, TTY_PLAIN),
			     .bold = tty_style(out, TTY_BOLD), .dim = tty_style(out, TTY_DIM),
			     .red = tty_style(out, TTY_RED), .green = tty_style(out, TTY_GREEN),
			     .yellow = tty_style(out, TTY_YELLOW) };
}

/* Tabs become four columns; what does not fit is cut with "...". */
void print_cut(const struct ink *ink, int used, const char *text)
{
	int column = 0, room = ink->width - used;

	for (; *text; text++) {
		int step = *text == '\t' ? 4 - column % 4 : ((unsigned char)*text & 0xc0) == 0x80 ? 0 : 1;

		if (column + step > room - 3 && strlen(text) > 3) {
			fputs("...", ink->out);
			return;
		}
		if (*text == '\t')
			fprintf(ink->out, "%*s", step, "");
		else if ((unsigned char)*text >= ' ')
			fputc(*text, ink->out);
		column += step;
	}
}

void print_split(const struct ink *ink, int indent, const char *left, const char *right)
{
	if ((int)(strlen(left) + 1 + strlen(right)) <= ink->width)
		fprintf(ink->out, "%s %s\n", left, right);
	else
		fprintf(ink->out, "%s\n%*s%s\n", left, indent, "", right);
}

void print_wrapped(const struct ink *ink, int indent, const char *text)
{
	int room = ink->width - indent, column = 0;

	while (*text) {
		int word = (int)strcspn(text, " ");

		if (column && column + 1 + word > room) {
			fprintf(ink->out, "\n%*s", indent, "");
			column = 0;
		}
		column += fprintf(ink->out, "%s%.*s", column ? " " : "", word, text);
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', ink->out);
}

/* ---- the end of a report ----------------------------------------------------------- */

/* The rest of the counters only describes the run. */
bool is_loss(const char *name)
{
	static const char *const words[] = { "lost", "replaced", "refused", "resets", "skipped", "dropped", "shed",
					     "watchdog" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static void print_losses(const struct report *r, const struct ink *ink)
{
	const char *lead = "not everything was seen: ";

	for (size_t i = 0; i < r->findings.counter_count; i++) {
		if (!r->findings.counters[i].value || !is_loss(r->findings.counters[i].name))
			continue;
		fprintf(ink->out, "%s%s %llu", lead, r->findings.counters[i].name,
			(unsigned long long)r->findings.counters[i].value);
		lead = ",\n    ";
	}
	if (*lead == ',')
		fputs("\n", ink->out);
}

static size_t count_rung(const struct report *r, enum rung low, enum rung high)
{
	size_t count = 0;

	for (size_t i = 0; i < r->findings.candidate_count; i++) {
		const struct candidate *c = &r->findings.candidates[i];

		count += c->rung >= low && c->rung <= high && !c->suppressed;
	}
	return count;
}

static size_t count_suppressed(const struct report *r)
{
	const struct store_findings *f = &r->findings;
	size_t count = 0;

	for (size_t i = 0; i < f->candidate_count; i++)
		count += f->candidates[i].suppressed != NULL;
	for (size_t i = 0; i < f->deadlock_count; i++)
		count += f->deadlocks[i].suppressed != NULL;
	for (size_t i = 0; i < f->failure_count; i++)
		count += f->failures[i].suppressed != NULL;
	return count;
}

static size_t count_deadlocks(const struct report *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->findings.deadlock_count; i++)
		count += !r->findings.deadlocks[i].suppressed;
	return count;
}

static size_t count_failures(const struct report *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->findings.failure_count; i++)
		count += !r->findings.failures[i].suppressed;
	return count;
}

const char *verdict_meaning(const struct report *r)
{
	switch (r->verdict) {
	case VERDICT_RACY:
		return count_rung(r, RUNG_CONFIRMED, RUNG_HARMFUL) ? "each data race listed was shown and can be shown again"
								   : "the data races shown before are in the baseline, none is new";
	case VERDICT_UNDECIDED:
		return r->findings.candidate_count
			       ? "pairs were claimed or suspected, none was shown; more trials may decide"
			       : "no pair was suspected, but something else went wrong or may";
	case VERDICT_CLEAN:
		return count_suppressed(r) ? "nothing is left but what was suppressed; other inputs may differ"
					   : "nothing was even suspected in these runs; other inputs may differ";
	case VERDICT_RACE_FREE:
		return "proved by scan, under the assumptions it lists";
	}
	return "";
}

static const char *add_count(struct arena *arena, const char *line, size_t count, const char *one, const char *many)
{
	if (!count)
		return line;
	return arena_printf(arena, "%s%s%zu %s", line, *line ? ", " : "", count, count == 1 ? one : many);
}

static const char *count_line(const struct report *r)
{
	const char *line = add_count(r->arena, "", count_rung(r, RUNG_CONFIRMED, RUNG_HARMFUL), "data race", "data races");

	if (count_rung(r, RUNG_HARMFUL, RUNG_HARMFUL))
		line = arena_printf(r->arena, "%s (%zu harmful)", line, count_rung(r, RUNG_HARMFUL, RUNG_HARMFUL));
	line = add_count(r->arena, line, count_rung(r, RUNG_CLAIMED, RUNG_CAUGHT), "pair not confirmed", "pairs not confirmed");
	line = add_count(r->arena, line, count_deadlocks(r), "deadlock or lock cycle", "deadlocks or lock cycles");
	line = add_count(r->arena, line, count_failures(r), "failure", "failures");
	return add_count(r->arena, line, count_suppressed(r), "suppressed", "suppressed");
}

/* What a proof hangs on; without one nobody needs it here (scan lists them all). */
static void print_assumptions(const struct report *r, const struct ink *ink)
{
	if (r->verdict != VERDICT_RACE_FREE || !r->assumption_count)
		return;
	fputs("assumptions of the proof:\n", ink->out);
	for (size_t i = 0; i < r->assumption_count; i++)
		print_wrapped(ink, 2, arena_printf(r->arena, "  %s", r->assumptions[i].text));
}

static void print_verdict(const struct report *r, const struct ink *ink)
{
	const char *style = r->verdict == VERDICT_RACY ? ink->red : r->verdict == VERDICT_UNDECIDED ? ink->yellow : ink->green;

	if (*count_line(r))
		print_wrapped(ink, 0, count_line(r));
	fprintf(ink->out, "verdict: %s%s%s%s: %s\n", ink->bold, style, verdict_name(r->verdict), ink->plain,
		verdict_meaning(r));
}

int finish_report(FILE *out)
{
	return fflush(out) || ferror(out) ? error("cannot write the report") : 0;
}

/* "counter.c:12, log.c:40  0 of 200  suppressed": what stands after the title in a line of `list`. */
static const char *list_places(const struct report *r, const struct candidate *c)
{
	const char *words = arena_printf(r->arena, "%s, %s", access_where_short(r->arena, &c->access[0]),
					 access_where_short(r->arena, &c->access[1]));

	if (c->trials)
		words = arena_printf(r->arena, "%s  %u of %u", words, c->hits, c->trials);
	return c->suppressed ? arena_printf(r->arena, "%s  suppressed", words) : words;
}

static const char *list_title(const struct report *r, const struct candidate *c)
{
	return arena_printf(r->arena, "%-6s %-9s  %s", short_id(r, c->id), rung_name(c->rung), report_title(r->arena, c));
}

/* One line of `list`, however long: it is there to be searched and cut. */
static void list_candidate(const struct report *r, const struct ink *ink, const struct candidate *c)
{
	fprintf(ink->out, "%s  %s\n", list_title(r, c), list_places(r, c));
}

/* Tried, and the two never stood there together: a line each, the details are for `show`. */
static bool never_met(const struct candidate *c)
{
	return c->rung < RUNG_CONFIRMED && c->trials && !c->hits;
}

static void print_never_met(const struct report *r, const struct ink *ink)
{
	size_t count = 0;

	for (size_t i = 0; i < r->findings.candidate_count; i++)
		if (never_met(&r->findings.candidates[i])) {
			if (!count++)
				fputs("suspected or claimed, tried, and never met (deadheat show ID has the details):\n", ink->out);
			print_split(ink, 18, list_title(r, &r->findings.candidates[i]), list_places(r, &r->findings.candidates[i]));
		}
	if (count)
		fputc('\n', ink->out);
}

int report_text(const struct report *r, FILE *out)
{
	struct ink ink = ink_for(out);
	const struct store_findings *f = &r->findings;

	for (size_t i = 0; i < f->candidate_count; i++)
		if (!never_met(&f->candidates[i])) {
			print_candidate(r, &ink, &f->candidates[i]);
			fputc('\n', out);
		}
	for (size_t i = 0; i < f->deadlock_count; i++) {
		print_deadlock(r, &ink, &f->deadlocks[i]);
		fputc('\n', out);
	}
	for (size_t i = 0; i < f->failure_count; i++) {
		print_failure(r, &ink, &f->failures[i]);
		fputc('\n', out);
	}
	print_never_met(r, &ink);
	print_losses(r, &ink);
	print_assumptions(r, &ink);
	print_verdict(r, &ink);
	return finish_report(out);
}

int report_show(const struct report *r, FILE *out, const char *id)
{
	struct ink ink = ink_for(out);
	const struct store_findings *f = &r->findings;

	for (size_t i = 0; i < f->candidate_count; i++)
		if (!strcmp(f->candidates[i].id, id)) {
			print_candidate(r, &ink, &f->candidates[i]);
			return finish_report(out);
		}
	for (size_t i = 0; i < f->deadlock_count; i++)
		if (!strcmp(f->deadlocks[i].id, id)) {
			print_deadlock(r, &ink, &f->deadlocks[i]);
			return finish_report(out);
		}
	for (size_t i = 0; i < f->failure_count; i++)
		if (!strcmp(f->failures[i].id, id)) {
			print_failure(r, &ink, &f->failures[i]);
			return finish_report(out);
		}
	return error_usage("no finding %s in this store; deadheat list shows them", id);
}

/* ---- list ----------------------------------------------------------------------------- */

static void list_deadlock(const struct report *r, const struct ink *ink, const struct deadlock *d)
{
	fprintf(ink->out, "%-6s %-9s  %s", short_id(r, d->id), rung_name(d->rung), deadlock_title(r->arena, d));
	for (size_t i = 0; i < d->edge_count; i++)
		if (d->edges[i].stack_count)
			fprintf(ink->out, "%s%s", i ? ", " : "  ", frame_where(r->arena, &d->edges[i].stack[0]));
	if (d->trials)
		fprintf(ink->out, "  %u of %u", d->hits, d->trials);
	fprintf(ink->out, "%s\n", d->suppressed ? "  suppressed" : "");
}

int report_list(const struct report *r, FILE *out)
{
	struct ink ink = ink_for(out);
	const struct store_findings *f = &r->findings;

	for (size_t i = 0; i < f->candidate_count; i++)
		list_candidate(r, &ink, &f->candidates[i]);
	for (size_t i = 0; i < f->deadlock_count; i++)
		list_deadlock(r, &ink, &f->deadlocks[i]);
	for (size_t i = 0; i < f->failure_count; i++)
		fprintf(out, "%-6s %-9s  %s  %u%s\n", short_id(r, f->failures[i].id), "failed",
			failure_title(r->arena, &f->failures[i]), f->failures[i].count, f->failures[i].suppressed ? "  suppressed" : "");
	return finish_report(out);
}
