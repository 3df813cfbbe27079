/*
 * interleaving - the lanes of a witness as text.
 *
 *     T0      create      main.c:31  pthread_create(&t, NULL, inc, NULL);
 *        T1   stops at a  main.c:12  counter++;
 *     T0      stops at b  main.c:33  print(counter);
 *     -- T0 and T1 both stand before their accesses, T1 goes first --
 *        T1   a: write    main.c:12  counter++;
 */
#include <string.h>

#include "report/internal.h"
#include "report/lanes.h"

#define MOST_LANES 5 /* later threads share the last lane */
#define LANE 3       /* columns: a number of two digits still stands in its own lane */

/* The stacks have the whole path; here the base name leaves room for the source line. */
static const char *short_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "??";
}

static const char *line_where(struct arena *arena, const struct lane_line *line)
{
	return line->line ? arena_printf(arena, "%s:%d", short_name(line->file), line->line) : "";
}

struct drawing {
	const struct report *report;
	const struct ink *ink;
	const struct lanes *lanes;
	int word, where; /* columns these need */
};

/* As wide as the widest, within reason. */
static void measure(struct drawing *d)
{
	const struct lanes *lanes = d->lanes;

	for (size_t i = 0; i < lanes->count; i++) {
		const struct lane_line *line = &lanes->lines[i];
		int w = line->word ? (int)strlen(line->word) : 0, p = (int)strlen(line_where(d->report->arena, line));

		d->word = w > d->word && w <= 14 ? w : d->word;
		d->where = p > d->where && p <= 20 ? p : d->where;
	}
}

static void print_step(const struct drawing *d, const struct lane_line *line)
{
	const struct ink *ink = d->ink;
	uint32_t count = d->lanes->threads < MOST_LANES ? d->lanes->threads : MOST_LANES;
	uint32_t lane = line->thread < MOST_LANES ? line->thread : MOST_LANES - 1;
	const char *thread = arena_printf(d->report->arena, "T%u", line->thread), *style = line->side ? ink->bold : "";
	int used;

	fputs(style, ink->out);
	used = fprintf(ink->out, "     %*s%-*s %-*s", (int)(lane * LANE), "", (int)((count - lane) * LANE), thread,
		       line->line ? d->word : 0, line->word);
	if (line->line) {
		used += fprintf(ink->out, "  %-*s", line->source ? d->where : 0, line_where(d->report->arena, line));
		if (line->source && *line->source) {
			used += fprintf(ink->out, "  ");
			print_cut(ink, used, line->source);
		}
	}
	fprintf(ink->out, "%s\n", *style ? ink->plain : "");
}

static void print_meeting(const struct ink *ink, const struct lane_line *line)
{
	fprintf(ink->out, "     %s%s-- T%u and T%u both stand before their accesses", ink->bold, ink->yellow, line->thread,
		line->other);
	if (line->first != LANE_NOBODY)
		fprintf(ink->out, ", T%u goes first", line->first);
	fprintf(ink->out, " --%s\n", ink->plain);
}

static void print_again(const struct ink *ink, const struct lane_line *line)
{
	if (line->span == 1)
		fprintf(ink->out, "     %s... and the same", ink->dim);
	else
		fprintf(ink->out, "     %s... and these %zu lines", ink->dim, line->span);
	if (line->count == 1)
		fprintf(ink->out, " once more%s\n", ink->plain);
	else
		fprintf(ink->out, " %zu times more%s\n", line->count, ink->plain);
}

static void print_line(const struct drawing *d, size_t i)
{
	const struct lane_line *line = &d->lanes->lines[i];
	const struct ink *ink = d->ink;
	const char *end = i + 1 == d->lanes->count ? " to the end" : "";

	switch (line->kind) {
	case LANE_STEP:
		print_step(d, line);
		break;
	case LANE_MEETING:
		print_meeting(ink, line);
		break;
	case LANE_GAP:
		fprintf(ink->out, "     %s... %zu step%s%s%s\n", ink->dim, line->count, line->count == 1 ? "" : "s", end, ink->plain);
		break;
	case LANE_AGAIN:
		print_again(ink, line);
		break;
	case LANE_WATCHDOG:
		fputs("     -- the watchdog acted --\n", ink->out);
		break;
	case LANE_END:
		fprintf(ink->out, "     %s-- %s%s --%s\n", ink->red, line->word,
			!strcmp(line->word, "deadlock") ? ": nobody can go on" : "", ink->plain);
		break;
	}
}

void print_interleaving(const struct report *report, const struct ink *ink, const char *id)
{
	struct lanes lanes;
	struct drawing d = { report, ink, &lanes, 0, 0 };

	if (!lanes_read(report, id, &lanes))
		return;
	measure(&d);
	if (!d.where)
		fprintf(ink->out, "     %s(without lines: the program of this schedule is not there any more)%s\n", ink->dim, ink->plain);
	for (size_t i = 0; i < lanes.count; i++)
		print_line(&d, i);
}
