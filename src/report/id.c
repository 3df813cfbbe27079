/* id - the shortest prefix that names one finding, and the line to copy. */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

#define SHORTEST 4 /* digits: short enough to type, and findings are few */

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void ids_load(struct report *report)
{
	const struct store_findings *f = &report->findings;
	size_t n = 0;

	report->id_count = f->candidate_count + f->deadlock_count + f->failure_count;
	report->ids = ARENA_ARRAY(report->arena, const char *, report->id_count);
	for (size_t i = 0; i < f->candidate_count; i++)
		report->ids[n++] = f->candidates[i].id;
	for (size_t i = 0; i < f->deadlock_count; i++)
		report->ids[n++] = f->deadlocks[i].id;
	for (size_t i = 0; i < f->failure_count; i++)
		report->ids[n++] = f->failures[i].id;
	qsort(report->ids, n, sizeof(*report->ids), compare);
}

static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Only the two neighbours in sorted order can share the longest prefix. */
const char *short_id(const struct report *report, const char *id)
{
	const char **at = report->id_count ? bsearch(&id, report->ids, report->id_count, sizeof(*report->ids), compare) : NULL;
	size_t digits = SHORTEST;

	if (!at)
		return id;
	if (at > report->ids && common(at[-1], id) >= digits)
		digits = common(at[-1], id) + 1;
	if (at + 1 < report->ids + report->id_count && common(at[1], id) >= digits)
		digits = common(at[1], id) + 1;
	return arena_printf(report->arena, "%.*s", (int)digits, id);
}

static const char *replay_by(const struct report *report, const char *command, const char *id)
{
	const char *digits = short_id(report, id);
	bool is_plain = !report->store || !report->store[strcspn(report->store, " \t'\"\\$`&|;<>()*?[]#~")];

	if (!report->store || !strcmp(report->store, STORE_DEFAULT))
		return arena_printf(report->arena, "%s replay %s", command, digits);
	return arena_printf(report->arena, is_plain ? "%s replay --store %s %s" : "%s replay --store '%s' %s", command,
			    report->store, digits);
}

const char *replay_line(const struct report *report, const char *id)
{
	return replay_by(report, "deadheat", id);
}

const char *replay_line_typed(const struct report *report, const char *id)
{
	return replay_by(report, report->command ? report->command : "deadheat", id);
}
