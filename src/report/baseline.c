/* baseline - a report against what was known before: new, unchanged, absent. See report.h. */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"
#include "store/baseline.h"

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_in_store(const struct report *r, const char *id)
{
	return bsearch(&id, r->ids, r->id_count, sizeof(*r->ids), compare_ids) != NULL;
}

void report_use_baseline(struct report *report, const struct baseline *baseline)
{
	const char **ids = ARENA_ARRAY(report->arena, const char *, baseline->count + 1);

	report->absent = ARENA_ARRAY(report->arena, struct baseline_entry, baseline->count + 1);
	report->absent_count = 0;
	for (size_t i = 0; i < baseline->count; i++) {
		ids[i] = baseline->entries[i].id;
		if (!is_in_store(report, ids[i]))
			report->absent[report->absent_count++] = baseline->entries[i];
	}
	report_set_baseline(report, ids, baseline->count);
}

static int compare_id(const void *id, const void *entry)
{
	return strcmp(id, ((const struct baseline_entry *)entry)->id);
}

bool is_absent(const struct report *report, const char *id)
{
	return report->absent_count && bsearch(id, report->absent, report->absent_count, sizeof(*report->absent), compare_id);
}

static bool is_known(const struct report *r, const char *id)
{
	const char *state = baseline_state(r, id);

	return state && !strcmp(state, "unchanged");
}

/* A copy of an array with what passes the test; ids and hints point into the old one. */
#define KEEP(r, items, count, test) do { \
	typeof(items) all = (items); \
	size_t kept = 0; \
	(items) = (typeof(items))arena_alloc((r)->arena, ((count) + 1) * sizeof(*all)); \
	for (size_t i = 0; i < (count); i++) \
		if (test(all[i].id)) \
			(items)[kept++] = all[i]; \
	(count) = kept; \
} while (0)

size_t report_only_new(struct report *report)
{
	struct store_findings *f = &report->findings;

#define IS_NEW(id) !is_known(report, id)
	KEEP(report, f->candidates, f->candidate_count, IS_NEW);
	KEEP(report, f->deadlocks, f->deadlock_count, IS_NEW);
	KEEP(report, f->failures, f->failure_count, IS_NEW);
	report->absent_count = 0;
	return report->id_count - f->candidate_count - f->deadlock_count - f->failure_count;
}

static bool is_among(const char *const *ids, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(ids[i], id))
			return true;
	return false;
}

void report_only(struct report *report, const char *const *ids, size_t count)
{
	struct store_findings *f = &report->findings;

#define IS_ASKED(id) is_among(ids, count, id)
	KEEP(report, f->candidates, f->candidate_count, IS_ASKED);
	KEEP(report, f->deadlocks, f->deadlock_count, IS_ASKED);
	KEEP(report, f->failures, f->failure_count, IS_ASKED);
	report->absent_count = 0;
}

/* ---- the other way round ------------------------------------------------------------- */

void report_to_baseline(const struct report *r, struct baseline *baseline)
{
	const struct store_findings *f = &r->findings;
	struct baseline_entry *e = ARENA_ARRAY(r->arena, struct baseline_entry,
					       f->candidate_count + f->deadlock_count + f->failure_count + 1);

	baseline->entries = e;
	for (size_t i = 0; i < f->candidate_count; i++)
		*e++ = (struct baseline_entry){ f->candidates[i].id, "race", rung_name(f->candidates[i].rung),
						report_title(r->arena, &f->candidates[i]) };
	for (size_t i = 0; i < f->deadlock_count; i++)
		*e++ = (struct baseline_entry){ f->deadlocks[i].id, "deadlock", rung_name(f->deadlocks[i].rung),
						deadlock_title(r->arena, &f->deadlocks[i]) };
	for (size_t i = 0; i < f->failure_count; i++)
		*e++ = (struct baseline_entry){ f->failures[i].id, "failure", rung_name(RUNG_HARMFUL),
						failure_title(r->arena, &f->failures[i]) };
	baseline->count = (size_t)(e - baseline->entries);
}
