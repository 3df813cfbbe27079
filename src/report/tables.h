/*
 * tables - what many findings share, written once: strings, frames, source lines, places.
 *
 * Each *_index() gives the number of its row, added when it is new; tables_write() puts all
 * rows as four JSON lists. A thousand findings in one program repeat themselves so much
 * that this makes the page five times smaller.
 */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "base/json.h"
#include "race/candidate.h"

struct tables;

struct tables *tables_open(void);
void tables_close(struct tables *tables);

/* NULL and "" are -1, which readers take for unknown. */
int string_index(struct tables *tables, const char *text);
int frame_index(struct tables *tables, const struct frame *frame);
/* A line of a file, remembered for the excerpts. */
void source_add(struct tables *tables, const char *file, int line, const char *text);
/* A place of the schedule with its text; -1 without a line. */
int place_index(struct tables *tables, const char *file, int line, const char *function, const char *text);

/*
 * "strings": [text], "frames": [[function, file, line, column, inlined, module, offset]],
 * "sources": [[file, line, text]], "places": [[file, line, function, text]]
 */
void tables_write(struct tables *tables, struct json *json);

#endif
