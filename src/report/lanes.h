/*
 * lanes - the schedule of a witness in a few lines: one lane a thread, time downward.
 */
#ifndef REPORT_LANES_H
#define REPORT_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

enum lane_kind {
	LANE_STEP,     /* thread did word there */
	LANE_MEETING,  /* thread and other both stand before their accesses; first goes first */
	LANE_GAP,      /* count steps are left out */
	LANE_AGAIN,    /* the last span lines happen count times more */
	LANE_WATCHDOG, /* the wall clock acted */
	LANE_END,      /* how the run ended, in word, unless it just exited */
};
#define LANE_NOBODY UINT32_MAX

struct lane_line {
	enum lane_kind kind;
	uint32_t thread, other, first;
	char side;             /* of the pair: 'a', 'b', or 0 */
	const char *word;      /* "lock", "a: write", "stops at b" */
	const char *function;  /* NULL if unknown, as are file and source */
	const char *file;
	int line;
	const char *source;    /* without its indentation; for a start the function */
	size_t count, span;
	size_t step;           /* index in the schedule */
};

struct lanes {
	struct lane_line *lines;
	size_t count;
	uint32_t threads;
	size_t steps;  /* of the schedule that are worth a line: those shown and those counted */
};

/* Into the report's arena. False if there is no schedule, or none that can be read. */
bool lanes_read(const struct report *report, const char *id, struct lanes *lanes);

#endif
