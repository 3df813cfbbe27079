/*
 * interleaving - the schedule of a witness, drawn in a few lines.
 *
 *     T0      create      main.c:31  pthread_create(&t, NULL, inc, NULL);
 *        T1   stops at    main.c:12  counter++;
 *     T0      stops at    main.c:33  print(counter);
 *     -- T1 and T0 both stand before their accesses, T1 goes first --
 *        T1   access      main.c:12  counter++;
 *
 * One lane a thread, time downward. Shown are the steps where the turn changes hands: the
 * first and the last of each thread's stretch, and everything that concerns the pair.
 * What is between is one line "... n steps". If that is still long, the part around the
 * last meeting of the pair is kept and the rest counted.
 */
#include <string.h>

#include "base/vec.h"
#include "report/internal.h"
#include "wire/plan.h"
#include "wire/schedule.h"

#define MOST_LINES 40 /* about a screen */
#define MOST_LANES 5  /* later threads share the last lane */
#define LANE 3        /* columns: a number of two digits still stands in its own lane */

struct drawing {
	const struct report *report;
	const struct ink *ink;
	const struct schedule_file *head;
	const struct wire_step *steps;
	const struct wire_plan_module *modules;
	size_t count;
	uint32_t lanes;
	VEC(size_t) shown;
};

static const char *const op_words[OP_COUNT] = {
#define X(symbol, word) [symbol] = word,
	WIRE_OPS(X)
#undef X
};

/* Sizes are checked against the file: it may come from anywhere. */
static bool open_schedule(struct drawing *d, const void *data, size_t size)
{
	const struct schedule_file *head = data;
	const char *end = (const char *)data + size, *at;

	if (size < sizeof(*head) || head->magic != SCHEDULE_MAGIC || head->version != SCHEDULE_VERSION ||
	    head->header_size < sizeof(*head) || head->header_size > size)
		return false;
	at = (const char *)data + head->header_size;
	if (head->step_count > (size_t)(end - at) / sizeof(struct wire_step))
		return false;
	d->head = head;
	d->steps = (const struct wire_step *)at;
	d->count = head->step_count;
	at += head->step_count * sizeof(struct wire_step);
	d->modules = head->module_count <= (size_t)(end - at) / sizeof(struct wire_plan_module)
			     ? (const struct wire_plan_module *)at : NULL;
	return true;
}

/* ---- which steps ---------------------------------------------------------------------- */

/* Free choices are part of the operation they belong to: no line, and none missing. */
static bool is_silent(const struct wire_step *s)
{
	return s->kind == STEP_CHOICE;
}

/* The turn for an access that is performed at once: the access is shown instead. */
static bool is_done_next(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];

	return s->kind == STEP_TURN && s->op == OP_ACCESS && i + 1 < d->count && s[1].kind == STEP_ACCESS &&
	       s[1].thread == s->thread;
}

static bool concerns_pair(const struct wire_step *s)
{
	return s->kind == STEP_HIT || s->kind == STEP_ACCESS || s->kind == STEP_WATCHDOG ||
	       (s->kind == STEP_TURN && s->op == OP_ACCESS);
}

/* Does another thread run right before or after this step? */
static bool at_switch(const struct drawing *d, size_t i)
{
	uint32_t thread = d->steps[i].thread;

	return i == 0 || i + 1 == d->count || d->steps[i - 1].thread != thread || d->steps[i + 1].thread != thread;
}

static void choose(struct drawing *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct wire_step *s = &d->steps[i];

		if (s->thread >= d->lanes)
			d->lanes = s->thread < MOST_LANES ? s->thread + 1 : MOST_LANES;
		if (!is_silent(s) && !is_done_next(d, i) && (concerns_pair(s) || at_switch(d, i)))
			VEC_PUSH(&d->shown, i);
	}
}

/* ---- one step --------------------------------------------------------------------------- */

/*
 * Where a thread stands is the return address of the call it is in, so the call is before
 * it; a thread that starts stands at its first instruction, one that ends nowhere of note.
 */
static bool step_place(const struct drawing *d, const struct wire_step *s, struct place *place)
{
	uint32_t back = s->op == OP_NONE ? 0 : 1;

	if (!d->modules || s->pc.module >= d->head->module_count || s->pc.offset < 1 || s->op == OP_EXIT)
		return false;
	*place = (struct place){ d->modules[s->pc.module].build_id, d->modules[s->pc.module].path, s->pc.offset - back };
	return true;
}

static const char *trimmed(const char *text)
{
	return text ? text + strspn(text, " \t") : "";
}

/* The stacks have the whole path; here the base name leaves room for the source line. */
static const char *short_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "??";
}

static void print_where(const struct drawing *d, const struct wire_step *s, int used)
{
	struct frame *frames;
	struct place place;
	const char *where;

	if (!d->report->sym || !step_place(d, s, &place))
		return;
	sym_frames(d->report->sym, d->report->arena, &place, &frames, NULL);
	if (!frames[0].line)
		return;
	where = arena_printf(d->report->arena, "%s:%d", short_name(frames[0].file), frames[0].line);
	used += fprintf(d->ink->out, " %-15s ", where);
	print_cut(d->ink, used, trimmed(sym_source_line(d->report->sym, frames[0].file, frames[0].line)));
}

/* Who was let go is the thread of the next access. */
static void print_hit(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];

	fprintf(d->ink->out, "     %s-- T%u and T%u both stand before their accesses", d->ink->bold, s->chosen, s->thread);
	for (i++; i < d->count && d->steps[i].kind != STEP_HIT; i++)
		if (d->steps[i].kind == STEP_ACCESS) {
			fprintf(d->ink->out, ", T%u goes first", d->steps[i].thread);
			break;
		}
	fprintf(d->ink->out, " --%s\n", d->ink->plain);
}

/* A thread picked before an access was postponed there unless it is the next one to act. */
static bool stops_here(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];

	if (s->kind != STEP_TURN || s->op != OP_ACCESS)
		return false;
	for (i++; i < d->count && is_silent(&d->steps[i]); i++)
		;
	return i == d->count || d->steps[i].thread != s->thread || d->steps[i].kind == STEP_HIT;
}

static const char *step_word(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];

	if (s->kind == STEP_SIGNAL)
		return "signal";
	if (s->kind == STEP_RETURN)
		return "returns";
	if (stops_here(d, i))
		return "stops at";
	return s->op < OP_COUNT ? op_words[s->op] : "?";
}

static void print_step(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];
	uint32_t lane = s->thread < MOST_LANES ? s->thread : MOST_LANES - 1;
	const char *thread = arena_printf(d->report->arena, "T%u", s->thread), *word = step_word(d, i);
	struct place place;
	int used, padded;

	if (s->kind == STEP_HIT) {
		print_hit(d, i);
		return;
	}
	if (s->kind == STEP_WATCHDOG) {
		fputs("     -- the watchdog acted --\n", d->ink->out);
		return;
	}
	padded = step_place(d, s, &place) ? 11 : 0;
	used = fprintf(d->ink->out, "     %*s%-*s %-*s", (int)(lane * LANE), "", (int)((d->lanes - lane) * LANE), thread,
		       padded, word);
	print_where(d, s, used);
	fputc('\n', d->ink->out);
}

/* A single step left out is shown instead: the line costs the same. */
static void print_gap(const struct drawing *d, size_t from, size_t to)
{
	size_t steps = 0, last = 0;

	for (size_t i = from; i < to; i++)
		if (!is_silent(&d->steps[i]) && !is_done_next(d, i)) {
			steps++;
			last = i;
		}
	if (steps == 1)
		print_step(d, last);
	else if (steps)
		fprintf(d->ink->out, "     %s... %zu steps%s\n", d->ink->dim, steps, d->ink->plain);
}

/* The window of shown steps around the last meeting, else the last ones. */
static void window(const struct drawing *d, size_t *from, size_t *to)
{
	size_t centre = d->shown.count;

	for (size_t i = 0; i < d->shown.count; i++)
		if (d->steps[d->shown.items[i]].kind == STEP_HIT)
			centre = i;
	*from = centre > MOST_LINES / 2 ? centre - MOST_LINES / 2 : 0;
	*to = *from + MOST_LINES < d->shown.count ? *from + MOST_LINES : d->shown.count;
	if (*to - *from < MOST_LINES)
		*from = *to > MOST_LINES ? *to - MOST_LINES : 0;
}

static void draw(struct drawing *d)
{
	size_t from, to, last = 0;

	choose(d);
	window(d, &from, &to);
	for (size_t i = from; i < to; i++) {
		print_gap(d, last, d->shown.items[i]);
		print_step(d, d->shown.items[i]);
		last = d->shown.items[i] + 1;
	}
	print_gap(d, last, d->count);
	VEC_FREE(&d->shown);
}

void print_interleaving(const struct report *report, const struct ink *ink, const char *id)
{
	struct drawing d = { .report = report, .ink = ink };
	void *data;
	size_t size;

	if (!report->source || store_get_schedule(report->source, report->arena, id, &data, &size, NULL) != 1)
		return;
	if (open_schedule(&d, data, size))
		draw(&d);
}
