/* report's own: what the formats share. */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "base/strbuf.h"
#include "base/tty.h"
#include "report/report.h"

report_printer report_text, report_json, report_sarif, report_junit, report_tsan, report_github, report_html;

/* title.c */
const char *deadlock_title(struct arena *arena, const struct deadlock *deadlock);
const char *failure_title(struct arena *arena, const struct failure *failure);
/* "std::map<...>::operator[]": template arguments of long names are left out; NULL is "??". */
const char *function_short(struct arena *arena, const char *name);
/* "counter.c:12", "prog+0x1234", "??": a side in one word. */
const char *access_where(struct arena *arena, const struct access *access);
/* The same without folders, for lines that hold two; the program's own line if there is one. */
const char *access_where_short(struct arena *arena, const struct access *access);
const char *frame_where(struct arena *arena, const struct frame *frame);
/* "atomic read of 4 bytes", "free of 64 bytes" */
const char *access_words(struct arena *arena, const struct access *access);
/* "detect, confirm" */
const char *finder_list(struct arena *arena, unsigned found_by);

/* id.c: shortest unique prefix, at least 4 digits; the line to copy. */
void ids_load(struct report *report);
const char *short_id(const struct report *report, const char *id);
const char *replay_line(const struct report *report, const char *id);
/* ... for people: by the name deadheat was called by, so that the line can be copied. */
const char *replay_line_typed(const struct report *report, const char *id);

/* hint.c: findings by variable; what would mend it, NULL when that is not plain. */
void variables_load(struct report *report);
const char *report_hint(const struct report *report, const struct candidate *candidate);
const char *deadlock_hint(const struct report *report, const struct deadlock *deadlock);

/* stack.c: frames down to the thread's own function; what libc calls it by is left out. */
size_t stack_depth(const struct frame *stack, size_t count);
/* Where the program's own code came to an access in a system header; NULL if the access is its own. */
const struct frame *own_frame(const struct access *access);

/* report.c: "new", "unchanged" or "absent" against the baseline, NULL if there is none. */
const char *baseline_state(const struct report *report, const char *id);
/* baseline.c: in the baseline, but not in the store any more? */
bool is_absent(const struct report *report, const char *id);
/* Does it count, for exit status and tools: shown to happen, and not suppressed? */
bool is_shown_race(const struct candidate *candidate);

/* format_text.c: counters that mean something was not looked at; the end of every printer. */
bool is_loss(const char *counter);
const char *verdict_meaning(const struct report *report);
int finish_report(FILE *out);

/* Terminal styles of one stream, looked up once. */
struct ink {
	FILE *out;
	int width;
	const char *plain, *bold, *dim, *red, *green, *yellow;
};
struct ink ink_for(FILE *out);

/* finding.c: one finding in full. */
void print_candidate(const struct report *report, const struct ink *ink, const struct candidate *candidate);
void print_deadlock(const struct report *report, const struct ink *ink, const struct deadlock *deadlock);
void print_failure(const struct report *report, const struct ink *ink, const struct failure *failure);

/* interleaving.c: the schedule of a witness in a few lines; prints nothing if there is none. */
void print_interleaving(const struct report *report, const struct ink *ink, const char *id);

/* columns.c: two blocks side by side; false, and nothing printed, if a line is too wide. */
int column_width(const struct ink *ink);
bool print_columns(const struct ink *ink, const char *left, const char *right);

/* format_text.c: "text" cut to what is left of the line. */
void print_cut(const struct ink *ink, int used, const char *text);

/* "left right", right on a line of its own after `indent` columns if both do not fit. */
void print_split(const struct ink *ink, int indent, const char *left, const char *right);
/* The rest of a line begun, and as many as it takes, each after `indent` columns. */
void print_wrapped(const struct ink *ink, int indent, const char *text);

#endif
