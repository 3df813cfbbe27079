/*
 * lanes - the schedule of a witness as a few lines, for every format that draws it.
 *
 * Shown are the steps where the turn changes hands (the first and the last of each
 * thread's stretch) and everything that concerns the pair. What lies between is one line
 * "n steps"; a stretch that repeats is shown once, with how often. If that is still long,
 * the part around the last meeting of the pair is kept and the rest counted.
 *
 * I1  The counts of the gaps and the steps shown add up to the schedule's visible steps:
 *     nothing is left out silently.
 */
#include "report/lanes.h"

#include <string.h>

#include "base/vec.h"
#include "report/internal.h"
#include "wire/plan.h"
#include "wire/schedule.h"

#define MOST_LINES 32     /* about a screen */
#define LONGEST_LOOP 8    /* lines of a stretch that repeats */
#define MOST_STEPS 100000 /* looked at, around the last meeting: the rest is counted only */

struct drawing {
	const struct report *report;
	const struct schedule_file *head;
	const struct wire_step *steps;
	const struct wire_plan_module *modules;
	const struct wire_plan_site *sites;
	size_t count, site_count;
	VEC(struct lane_line) lines;
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
	if (head->module_count > (size_t)(end - at) / sizeof(struct wire_plan_module))
		return true;
	d->modules = (const struct wire_plan_module *)at;
	at += head->module_count * sizeof(struct wire_plan_module);
	d->sites = (const struct wire_plan_site *)at;
	d->site_count = head->site_count <= (size_t)(end - at) / sizeof(struct wire_plan_site) ? head->site_count : 0;
	return true;
}

/* ---- which steps ---------------------------------------------------------------------- */

/* Free choices are part of the operation they belong to: no line, and none missing. */
static bool is_silent(const struct wire_step *s)
{
	return s->kind == STEP_CHOICE;
}

static size_t next_loud(const struct drawing *d, size_t i)
{
	for (i++; i < d->count && is_silent(&d->steps[i]); i++)
		;
	return i;
}

/* The turn for an access that is performed at once: the access is shown instead. */
static bool is_done_next(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];

	if (s->kind != STEP_TURN || s->op != OP_ACCESS)
		return false;
	i = next_loud(d, i);
	return i < d->count && d->steps[i].kind == STEP_ACCESS && d->steps[i].thread == s->thread;
}

static bool is_visible(const struct drawing *d, size_t i)
{
	return !is_silent(&d->steps[i]) && !is_done_next(d, i);
}

static bool concerns_pair(const struct wire_step *s)
{
	return s->kind == STEP_HIT || s->kind == STEP_ACCESS || s->kind == STEP_WATCHDOG ||
	       (s->kind == STEP_TURN && s->op == OP_ACCESS);
}

/* Does another thread run right before or after this step? Ends and joins of threads say little. */
static bool at_switch(const struct drawing *d, size_t i)
{
	uint32_t thread = d->steps[i].thread;

	if (d->steps[i].op == OP_EXIT || (d->steps[i].op == OP_JOIN && i + 1 < d->count))
		return false;
	return i == 0 || i + 1 == d->count || d->steps[i - 1].thread != thread || d->steps[i + 1].thread != thread;
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

static const struct wire_plan_site *step_site(const struct drawing *d, const struct wire_step *s)
{
	for (size_t i = 0; i < d->site_count; i++)
		if (d->sites[i].module == s->pc.module && d->sites[i].offset == s->pc.offset)
			return &d->sites[i];
	return NULL;
}

/* A thread picked before an access was postponed there unless it is the next one to act. */
static bool stops_here(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];

	if (s->kind != STEP_TURN || s->op != OP_ACCESS)
		return false;
	i = next_loud(d, i);
	return i >= d->count || d->steps[i].thread != s->thread || d->steps[i].kind == STEP_HIT;
}

/*
 * A trial directed at a lock cycle also postpones threads before their locks. A lock that is
 * asked for again before anybody gave it back was not taken the first time.
 */
static bool stops_at_lock(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];

	if (!d->head->edge_count || s->kind != STEP_TURN || s->op != OP_LOCK || !s->object)
		return false;
	for (i++; i < d->count && d->steps[i].object != s->object; i++)
		;
	return i < d->count && d->steps[i].kind == STEP_TURN && d->steps[i].op == OP_LOCK;
}

/* "a: write": which side of the pair, and what it does, where the schedule's sites tell. */
static const char *access_word(const struct wire_plan_site *site, bool stops, char *side)
{
	static const char *const words[3][2] = { { "read", "write" }, { "a: read", "a: write" }, { "b: read", "b: write" } };
	static const char *const stop[3] = { "stops at", "stops at a", "stops at b" };
	int which = !site ? 0 : site->side == WIRE_SIDE_A ? 1 : site->side == WIRE_SIDE_B ? 2 : 0;

	*side = (char)(which ? 'a' + which - 1 : 0);
	if (stops)
		return stop[which];
	return site ? words[which][access_is_write(site->flags)] : "access";
}

static const char *step_word(const struct drawing *d, size_t i, char *side)
{
	const struct wire_step *s = &d->steps[i];

	if (s->kind == STEP_SIGNAL)
		return "signal";
	if (s->kind == STEP_RETURN)
		return "returns";
	if (s->op == OP_ACCESS)
		return access_word(step_site(d, s), stops_here(d, i), side);
	if (stops_at_lock(d, i))
		return "stops at lock";
	return s->op < OP_COUNT ? op_words[s->op] : "?";
}

/* Looked up for the lines that are left in the end. */
static void set_where(const struct drawing *d, struct lane_line *line)
{
	const struct wire_step *s = &d->steps[line->step];
	struct frame *frames;
	struct place place;

	if (!d->report->sym || !step_place(d, s, &place))
		return;
	sym_frames(d->report->sym, d->report->arena, &place, &frames, NULL);
	if (!frames[0].line)
		return;
	line->function = frames[0].function;
	line->file = frames[0].file;
	line->line = frames[0].line;
	line->source = sym_source_line(d->report->sym, line->file, line->line);
	line->source = line->source ? line->source + strspn(line->source, " \t") : NULL;
	if (s->op == OP_NONE && line->function) /* the line is just "{" */
		line->source = arena_printf(d->report->arena, "%s()", function_short(d->report->arena, line->function));
}

/* Who was let go is the thread of the next access. */
static struct lane_line meeting_line(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];
	struct lane_line line = { .kind = LANE_MEETING, .thread = s->thread < s->chosen ? s->thread : s->chosen,
				  .other = s->thread < s->chosen ? s->chosen : s->thread, .first = LANE_NOBODY, .step = i };

	for (i++; i < d->count && d->steps[i].kind != STEP_HIT; i++)
		if (d->steps[i].kind == STEP_ACCESS) {
			line.first = d->steps[i].thread;
			break;
		}
	return line;
}

static struct lane_line step_line(const struct drawing *d, size_t i)
{
	const struct wire_step *s = &d->steps[i];
	struct lane_line line = { .kind = LANE_STEP, .thread = s->thread, .step = i };

	if (s->kind == STEP_HIT)
		return meeting_line(d, i);
	if (s->kind == STEP_WATCHDOG)
		return (struct lane_line){ .kind = LANE_WATCHDOG, .thread = s->thread, .step = i };
	line.word = step_word(d, i, &line.side);
	return line;
}

/* A single step left out is shown instead: the line costs the same. */
static void add_gap(struct drawing *d, size_t from, size_t to)
{
	size_t count = 0, last = 0;

	for (size_t i = from; i < to; i++)
		if (is_visible(d, i)) {
			count++;
			last = i;
		}
	if (count == 1 && to < d->count)
		VEC_PUSH(&d->lines, step_line(d, last));
	else if (count)
		VEC_PUSH(&d->lines, (struct lane_line){ .kind = LANE_GAP, .count = count, .step = from });
}

static size_t last_meeting(const struct drawing *d)
{
	for (size_t i = d->count; i-- > 0;)
		if (d->steps[i].kind == STEP_HIT)
			return i;
	return d->count;
}

static void choose(struct drawing *d)
{
	size_t centre = last_meeting(d), next = 0;
	size_t from = centre > MOST_STEPS / 2 ? centre - MOST_STEPS / 2 : 0;
	size_t to = d->count - from > MOST_STEPS ? from + MOST_STEPS : d->count;

	for (size_t i = from; i < to; i++) {
		if (!is_visible(d, i) || !(concerns_pair(&d->steps[i]) || at_switch(d, i)))
			continue;
		add_gap(d, next, i);
		VEC_PUSH(&d->lines, step_line(d, i));
		next = i + 1;
	}
	add_gap(d, next, d->count);
}

/* ---- what repeats ------------------------------------------------------------------------- */

static bool is_same_line(const struct drawing *d, const struct lane_line *a, const struct lane_line *b)
{
	const struct wire_pc *at = &d->steps[a->step].pc, *bt = &d->steps[b->step].pc;

	if (a->kind != b->kind || a->thread != b->thread || a->other != b->other || a->first != b->first || a->count != b->count)
		return false;
	return a->kind != LANE_STEP || (a->word == b->word && at->module == bt->module && at->offset == bt->offset);
}

/* How often do the next `length` lines stand there again, right after themselves? */
static size_t count_again(const struct drawing *d, size_t at, size_t length)
{
	size_t same = 0;

	while (at + length + same < d->lines.count &&
	       is_same_line(d, &d->lines.items[at + same], &d->lines.items[at + length + same]))
		same++;
	return same / length;
}

/* In place: the lines kept move forward over those left out. */
static void fold_repeats(struct drawing *d)
{
	size_t kept = 0;

	for (size_t at = 0; at < d->lines.count;) {
		size_t best = 1, again = 0;

		for (size_t length = 1; length <= LONGEST_LOOP; length++) {
			size_t n = count_again(d, at, length);

			if (n * length > again * best) {
				best = length;
				again = n;
			}
		}
		if (again * best < 2)
			again = 0;
		best = again ? best : 1;
		memmove(&d->lines.items[kept], &d->lines.items[at], best * sizeof(*d->lines.items));
		kept += best;
		at += best * (1 + again);
		if (again)
			d->lines.items[kept++] = (struct lane_line){ .kind = LANE_AGAIN, .count = again, .span = best };
	}
	d->lines.count = kept;
}

/* ---- what is too long ------------------------------------------------------------------------ */

static size_t steps_in(const struct drawing *d, size_t from, size_t to)
{
	size_t first = from < d->lines.count ? d->lines.items[from].step : d->count;
	size_t last = to < d->lines.count ? d->lines.items[to].step : d->count, count = 0;

	for (size_t i = first; i < last; i++)
		count += is_visible(d, i);
	return count;
}

/* A stretch and the line that says how often it repeats are kept or cut together. */
static size_t line_start(const struct drawing *d, size_t at)
{
	for (size_t i = at; i < d->lines.count && i <= at + LONGEST_LOOP; i++)
		if (d->lines.items[i].kind == LANE_AGAIN && i - d->lines.items[i].span < at)
			return i - d->lines.items[i].span;
	return at;
}

static size_t line_end(const struct drawing *d, size_t at)
{
	for (size_t i = at; i < d->lines.count && i <= at + LONGEST_LOOP; i++)
		if (d->lines.items[i].kind == LANE_AGAIN && i - d->lines.items[i].span < at)
			return i + 1;
	return at;
}

static void cut_to_window(struct drawing *d)
{
	size_t centre = d->lines.count, from, to, before, after;

	if (d->lines.count <= MOST_LINES + 4) /* a cut costs two lines itself */
		return;
	for (size_t i = 0; i < d->lines.count; i++)
		if (d->lines.items[i].kind == LANE_MEETING)
			centre = i;
	from = centre > MOST_LINES * 2 / 3 ? centre - MOST_LINES * 2 / 3 : 0;
	if (from + MOST_LINES > d->lines.count)
		from = d->lines.count - MOST_LINES;
	from = line_start(d, from);
	to = line_end(d, from + MOST_LINES < d->lines.count ? from + MOST_LINES : d->lines.count);
	before = from ? steps_in(d, 0, from) : 0;
	after = to < d->lines.count ? steps_in(d, to, d->lines.count) : 0;
	memmove(d->lines.items, d->lines.items + from, (to - from) * sizeof(*d->lines.items));
	d->lines.count = to - from;
	if (after)
		VEC_PUSH(&d->lines, (struct lane_line){ .kind = LANE_GAP, .count = after });
	if (before) {
		VEC_PUSH(&d->lines, (struct lane_line){ 0 });
		memmove(d->lines.items + 1, d->lines.items, (d->lines.count - 1) * sizeof(*d->lines.items));
		d->lines.items[0] = (struct lane_line){ .kind = LANE_GAP, .count = before };
	}
}

/* A crash or a deadlock is the last thing that happens; an exit is told elsewhere. */
static void add_end(struct drawing *d)
{
	const char *outcome = d->head->outcome;
	size_t length = strnlen(outcome, sizeof(d->head->outcome));

	if (!length || !strncmp(outcome, "exit", 4))
		return;
	VEC_PUSH(&d->lines, (struct lane_line){ .kind = LANE_END, .step = d->count,
						.word = arena_printf(d->report->arena, "%.*s", (int)length, outcome) });
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static size_t count_visible(const struct drawing *d)
{
	size_t count = 0;

	for (size_t i = 0; i < d->count; i++)
		count += is_visible(d, i);
	return count;
}

static uint32_t count_threads(const struct drawing *d)
{
	uint32_t count = 0;

	for (size_t i = 0; i < d->count; i++)
		if (d->steps[i].thread >= count)
			count = d->steps[i].thread + 1;
	return count;
}

bool lanes_read(const struct report *report, const char *id, struct lanes *lanes)
{
	struct drawing d = { .report = report };
	void *data;
	size_t size;

	*lanes = (struct lanes){ 0 };
	if (!report->source || store_get_schedule(report->source, report->arena, id, &data, &size, NULL) != 1)
		return false;
	if (!open_schedule(&d, data, size))
		return false;
	choose(&d);
	fold_repeats(&d);
	cut_to_window(&d);
	for (size_t i = 0; i < d.lines.count; i++)
		if (d.lines.items[i].kind == LANE_STEP)
			set_where(&d, &d.lines.items[i]);
	add_end(&d);
	lanes->lines = arena_copy(report->arena, d.lines.items, d.lines.count * sizeof(*d.lines.items));
	lanes->count = d.lines.count;
	lanes->threads = count_threads(&d);
	lanes->steps = count_visible(&d);
	VEC_FREE(&d.lines);
	return true;
}
