/*
 * interleaving - the schedule of a witness, drawn in a few lines.
 *
 *     T0            create           main.c:31   pthread_create(&t, NULL, inc, NULL);
 *           T1      access           main.c:12   counter++;
 *                   both stand: T1 and T0, T1 goes first
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
#define MOST_LANES 5  /* of LANE columns each; later threads share the last lane */
#define LANE 6

struct drawing {
	const struct report *report;
	const struct ink *ink;
	const struct schedule_file *head;
	const struct wire_step *steps;
	const struct wire_plan_module *modules;
	size_t count;
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

static bool concerns_pair(const struct wire_step *s)
{
	return s->kind == STEP_HIT || s->kind == STEP_ACCESS || s->kind == STEP_WATCHDOG ||
	       (s->kind == STEP_CHOICE && s->op == OP_RESOLVE);
}

/* Does another thread run before (step -1) or after (step +1) this one? */
static bool at_switch(const struct drawing *d, size_t i)
{
	uint32_t thread = d->steps[i].thread;

	return i == 0 || i + 1 == d->count || d->steps[i - 1].thread != thread || d->steps[i + 1].thread != thread;
}

static bool is_same_stop(const struct wire_step *a, const struct wire_step *b)
{
	return a->thread == b->thread && a->op == b->op && a->pc.module == b->pc.module && a->pc.offset == b->pc.offset;
}

static void choose(struct drawing *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct wire_step *s = &d->steps[i];

		if (!concerns_pair(s) && (s->kind == STEP_CHOICE || !at_switch(d, i)))
			continue;
		/* the turn for an access, and then the access: one line */
		if (d->shown.count && s->kind == STEP_ACCESS && is_same_stop(s, &d->steps[d->shown.items[d->shown.count - 1]]))
			d->shown.items[d->shown.count - 1] = i;
		else
			VEC_PUSH(&d->shown, i);
	}
}

/* ---- one step --------------------------------------------------------------------------- */

static bool step_place(const struct drawing *d, const struct wire_step *s, struct place *place)
{
	if (!d->modules || s->pc.module >= d->head->module_count || !s->pc.offset)
		return false;
	*place = (struct place){ d->modules[s->pc.module].build_id, d->modules[s->pc.module].path, s->pc.offset - 1 };
	return true;
}

static const char *trimmed(const char *text)
{
	return text ? text + strspn(text, " \t") : "";
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
	where = arena_printf(d->report->arena, "%s:%d", frames[0].file, frames[0].line);
	used += fprintf(d->ink->out, "%-16s  ", where);
	print_cut(d->ink, used, trimmed(sym_source_line(d->report->sym, frames[0].file, frames[0].line)));
}

static void print_step(const struct drawing *d, const struct wire_step *s)
{
	FILE *out = d->ink->out;
	uint32_t lane = s->thread < MOST_LANES ? s->thread : MOST_LANES - 1;
	const char *word = s->op < OP_COUNT ? op_words[s->op] : "?";
	uint32_t lanes = MOST_LANES;
	int used;

	if (s->kind == STEP_HIT) {
		fprintf(out, "     %s-- T%u and T%u both stand before their accesses --%s\n", d->ink->bold, s->chosen,
			s->thread, d->ink->plain);
		return;
	}
	if (s->kind == STEP_CHOICE || s->kind == STEP_WATCHDOG) {
		if (s->kind == STEP_WATCHDOG)
			fprintf(out, "     -- the watchdog acted --\n");
		return;
	}
	used = fprintf(out, "     %*sT%-*u", (int)(lane * LANE / 2), "", (int)((lanes - lane) * LANE / 2 + 1), s->thread);
	used += fprintf(out, "%-10s ", s->kind == STEP_SIGNAL ? "signal" : word);
	print_where(d, s, used);
	fputc('\n', out);
}

static void print_gap(const struct drawing *d, size_t steps)
{
	if (steps)
		fprintf(d->ink->out, "     %s... %zu step%s%s\n", d->ink->dim, steps, steps == 1 ? "" : "s", d->ink->plain);
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
		print_gap(d, d->shown.items[i] - last);
		print_step(d, &d->steps[d->shown.items[i]]);
		last = d->shown.items[i] + 1;
	}
	print_gap(d, d->count - last);
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
