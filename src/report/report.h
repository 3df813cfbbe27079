/*
 * report - STAGE 4: one struct report; each format prints only that.
 *
 * How to add a format: write format_NAME.c with one function of type report_printer and
 * add a row to the table in report.c. Then a golden file (tests/unit/report.c), its name
 * with each field it shows (tests/unit/report_formats.c), and what it leaves out
 * (docs/report-formats.md).
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "base/arena.h"
#include "store/baseline.h"
#include "store/store.h"
#include "sym/sym.h"

/* Something scan took for granted: a proof holds as far as these do. */
struct report_assumption {
	const char *kind;     /* "unknown function" */
	const char *text;
	const char *file;     /* the first place; may be NULL */
	int line;
	size_t count;         /* places */
	bool sound;           /* the worst case was taken: nothing hangs on it */
};

struct report {
	enum verdict verdict;
	struct store_findings findings;
	const char *store;    /* location, for the replay lines when it is not the default */
	const char *command;  /* how deadheat was called, for the replay lines; NULL: "deadheat" */
	struct sym *sym;      /* source lines and schedule places; may be NULL */
	struct store *source; /* to fetch schedules for drawing; may be NULL */
	struct arena *arena;
	const char **ids;     /* of all findings, sorted: short forms are made from them */
	size_t id_count;
	const char *folder;   /* where the program was started: relative file names begin there; may be NULL */
	const char **baseline; /* ids known before, sorted; NULL: there is no baseline */
	size_t baseline_count;
	struct baseline_entry *absent; /* in the baseline, not in the store any more */
	size_t absent_count;
	const struct candidate **by_variable; /* those with one, sorted by it: for the hints */
	size_t by_variable_count;
	struct report_assumption *assumptions; /* of scan; none if it did not run */
	size_t assumption_count;
};

typedef int report_printer(const struct report *report, FILE *out);

/* Read the store, work out the verdict. 0 / -1. */
int report_build(struct report *report, struct arena *arena, struct store *store, struct sym *sym);
/* Findings with these ids are not new (`baseline save`). The ids are copied. */
void report_set_baseline(struct report *report, const char *const *ids, size_t count);
/* The same with a saved one; what it has and the store has not becomes `absent`. Its text must outlive the report. */
void report_use_baseline(struct report *report, const struct baseline *baseline);
/* Leave out what the baseline knows; how many that are. The verdict stays that of all findings. */
size_t report_only_new(struct report *report);
/* Leave out all but these; the verdict stays. */
void report_only(struct report *report, const char *const *ids, size_t count);
/* All findings as a baseline, in the report's arena. */
void report_to_baseline(const struct report *report, struct baseline *baseline);
/* Printer by format name ("text", "json"), NULL if unknown. */
report_printer *report_format(const char *name);
/* "text json ...": for messages and completion. */
const char *report_format_names(void);

/* "data race: inc / flush on counter"; below confirmed: "suspected pair: ...". */
const char *report_title(struct arena *arena, const struct candidate *candidate);

/* Print one finding as text, as `show ID` does. 0, -1 if there is no such id. */
int report_show(const struct report *report, FILE *out, const char *id);
/* One line a finding, as `list` does. */
int report_list(const struct report *report, FILE *out);
/* Is anything at or above the rung (deadlocks and failures that really happened count as harmful)? */
bool report_reaches(const struct report *report, enum rung rung);

#endif
