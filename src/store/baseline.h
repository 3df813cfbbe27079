/*
 * baseline - which findings were known at a moment, as a file for version control.
 *
 * Text, sorted, one finding a line, so that two of them can be compared and merged:
 *
 *     # deadheat baseline 1
 *     8a031a5aaea149cc race harmful data race: inc / flush on counter
 *     6e1aa3f2066e2149 failure failed failure: SIGABRT
 *
 * Only the id decides; kind, rung and title are for people, and for naming a finding that is
 * gone. A line that is no such line is an error: a baseline that lets everything through
 * because of a merge mark would be the worst kind.
 */
#ifndef STORE_BASELINE_H
#define STORE_BASELINE_H

#include <stddef.h>

#include "base/arena.h"

struct baseline_entry {
	const char *id;
	const char *kind;  /* "race", "deadlock", "failure" */
	const char *rung;
	const char *title;
};

struct baseline {
	struct baseline_entry *entries; /* sorted by id */
	size_t count;
};

/* 1 read, 0 there is no such file, -1 with file and line. */
int baseline_read(struct baseline *baseline, struct arena *arena, const char *path);
/* Written beside and renamed. Sorts the entries. 0 / -1. */
int baseline_write(struct baseline *baseline, const char *path);

#endif
