/*
 * scanning - scan for the commands: shared by scan and hunt.
 */
#ifndef CLI_SCANNING_H
#define CLI_SCANNING_H

#include <stdio.h>

#include "find/scan/scan.h"
#include "report/report.h"

/*
 * FILE... [-- ARG...]: sources, bitcode and the compiler's words apart. Words that start with "-" before
 * the dashes go to the compiler too (hunt: `a.c -Iinclude -lm`), but for those of the linker.
 */
void scanning_split(struct arena *arena, int argc, char **argv, struct load_options *load);
/* .c, .cc ... .bc, .ll, .i: something scan can read. */
bool scanning_is_input(const char *word);
/* Progress on a terminal, remarks about skipped files, the cache in the store's folder unless said. */
void scanning_defaults(struct arena *arena, struct scan_options *options);
/* "scan: 3 files, 210 lines, 12 functions, 3 threads; 40 pairs considered, 2 candidates": on stderr. */
void scanning_say(const struct scan *scan);

/* The proof's small print into a report. */
void scanning_assumptions(const struct scan *scan, struct report *report);
/* What the scan found, as a report of its own: for --format. */
int scanning_report(const struct scan *scan, struct arena *arena, struct report *report);

/* Printed for people: all claims (top 0) or the first, the exclusions, the assumptions, the verdict. */
void scan_print(const struct scan *scan, FILE *out, size_t top);
/* One claim with all that is believed of it. -1 if there is none, or more than one. */
int scan_explain(const struct scan *scan, FILE *out, const char *id);

#endif
