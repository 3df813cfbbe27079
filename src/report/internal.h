/* report's own: what the formats share. */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "base/strbuf.h"
#include "base/tty.h"
#include "report/report.h"

report_printer report_text, report_json;

/* title.c */
const char *deadlock_title(struct arena *arena, const struct deadlock *deadlock);
const char *failure_title(struct arena *arena, const struct failure *failure);
/* "std::map<...>::operator[]": template arguments of long names are left out; NULL is "??". */
const char *function_short(struct arena *arena, const char *name);
/* "counter.c:12", "prog+0x1234", "??": a side in one word. */
const char *access_where(struct arena *arena, const struct access *access);
/* The same without folders, for lines that hold two. */
const char *access_where_short(struct arena *arena, const struct access *access);
const char *frame_where(struct arena *arena, const struct frame *frame);
/* "detect, confirm" */
const char *finder_list(struct arena *arena, unsigned found_by);

/* id.c: shortest unique prefix, at least 4 digits; the line to copy. */
void ids_load(struct report *report);
const char *short_id(const struct report *report, const char *id);
const char *replay_line(const struct report *report, const char *id);

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

/* text.c: "text" cut to what is left of the line. */
void print_cut(const struct ink *ink, int used, const char *text);

#endif
