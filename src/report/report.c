/* report - see report.h: what the store holds becomes one struct; a table of formats. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/internal.h"

/* ---- formats ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	report_printer *print;
} formats[] = {
	{ "text", report_text },
	{ "json", report_json },
	{ "sarif", report_sarif },
	{ "junit", report_junit },
	{ "tsan", report_tsan },
	{ "github", report_github },
	{ "html", report_html },

};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

report_printer *report_format(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].print;
	return NULL;
}

const char *report_format_names(void)
{
	static char names[64];

	if (!*names)
		for (size_t i = 0; i < FORMATS; i++)
			strcat(strcat(names, i ? " " : ""), formats[i].name);
	return names;
}

/* ---- baseline --------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void report_set_baseline(struct report *report, const char *const *ids, size_t count)
{
	report->baseline = ARENA_ARRAY(report->arena, const char *, count + 1);
	report->baseline_count = count;
	for (size_t i = 0; i < count; i++)
		report->baseline[i] = arena_strdup(report->arena, ids[i]);
	qsort(report->baseline, count, sizeof(*report->baseline), compare);
}

const char *baseline_state(const struct report *report, const char *id)
{
	if (!report->baseline)
		return NULL;
	if (!bsearch(&id, report->baseline, report->baseline_count, sizeof(*report->baseline), compare))
		return "new";
	return is_absent(report, id) ? "absent" : "unchanged";
}

/* ---- building ----------------------------------------------------------------------- */

/* Suppressed findings are listed but decide nothing. */
static enum verdict verdict_of(const struct store_findings *f)
{
	enum verdict verdict = VERDICT_CLEAN;

	for (size_t i = 0; i < f->deadlock_count; i++)
		verdict = f->deadlocks[i].suppressed ? verdict : VERDICT_UNDECIDED;
	for (size_t i = 0; i < f->failure_count; i++)
		verdict = f->failures[i].suppressed ? verdict : VERDICT_UNDECIDED;
	for (size_t i = 0; i < f->candidate_count; i++) {
		if (f->candidates[i].suppressed)
			continue;
		if (f->candidates[i].rung >= RUNG_CONFIRMED)
			return VERDICT_RACY;
		verdict = VERDICT_UNDECIDED;
	}
	return verdict;
}

/* Names in the store are relative to where the program was started. */
static int find_sources(struct report *report)
{
	struct store_program program;
	int found = store_get_program(report->source, report->arena, 0, &program);

	if (found == 1) {
		report->folder = program.cwd;
		sym_search_folder(report->sym, program.cwd);
	}
	return found < 0 ? -1 : 0;
}

/*
 * Threads of C++ are created inside the library, by a function whose name fills two lines:
 * "T2, created at _ZNSt6thread15_M_start_thread... in libstdc++.so.6" is just "by std::thread".
 */
static void name_library_threads(struct report *report)
{
	static const char lead[] = ", created at _ZNSt6thread";

	for (size_t i = 0; i < report->findings.candidate_count; i++)
		for (int side = 0; side < 2; side++) {
			const char **thread = &report->findings.candidates[i].access[side].thread;
			const char *at = *thread ? strstr(*thread, lead) : NULL;

			if (at)
				*thread = arena_printf(report->arena, "%.*s, created by std::thread", (int)(at - *thread), *thread);
		}
}

int report_build(struct report *report, struct arena *arena, struct store *store, struct sym *sym)
{
	*report = (struct report){ .store = store_location(store), .sym = sym, .source = store, .arena = arena };
	if (store_read(store, arena, &report->findings))
		return -1;
	if (sym && find_sources(report))
		return -1;
	report->verdict = verdict_of(&report->findings);
	name_library_threads(report);
	ids_load(report);
	variables_load(report);
	return 0;
}

bool is_shown_race(const struct candidate *candidate)
{
	return candidate->rung >= RUNG_CONFIRMED && !candidate->suppressed;
}

bool report_reaches(const struct report *report, enum rung rung)
{
	const struct store_findings *f = &report->findings;

	for (size_t i = 0; i < f->candidate_count; i++)
		if (f->candidates[i].rung >= rung && !f->candidates[i].suppressed)
			return true;
	for (size_t i = 0; i < f->deadlock_count; i++)
		if (f->deadlocks[i].rung >= rung && !f->deadlocks[i].suppressed)
			return true;
	for (size_t i = 0; i < f->failure_count; i++)
		if (rung <= RUNG_HARMFUL && !f->failures[i].suppressed)
			return true;
	return false;
}
