/*
 * suppress - findings somebody has decided about: they stay in the store and in the machine
 * formats, marked, but count for nothing.
 *
 * One file a store, STORE/suppressions, meant for version control; more of them can be added
 * for one run. A line is one rule, '#' begins a comment, and a file written for
 * ThreadSanitizer is taken as it is:
 *
 *     finding:8a031a5aaea149cc until 2027-01-31 because the counter is for statistics only
 *     race:^log_                 any frame of either stack, or the variable
 *     race_top:log_flush         only the frame of the access itself
 *     deadlock:from.c            any frame of a lock cycle
 *     called_from_lib:libz.so    the access is made by that library
 *     mutex: thread: signal:     read, but deadheat reports nothing they could match
 *
 * A pattern is searched for in function, file and module of a frame; * stands for anything,
 * ^ ties it to the beginning, $ to the end.
 *
 * I1  A rule past its date suppresses nothing; it still counts what it would have hit, so
 *     that the reader is told.
 */
#ifndef STORE_SUPPRESS_H
#define STORE_SUPPRESS_H

#include "base/arena.h"
#include "store/store.h"

struct suppression {
	const char *kind;     /* "finding", "race", ... */
	const char *pattern;  /* an id for "finding" */
	const char *until;    /* last day it holds, "2027-01-31" (UTC); NULL: for ever */
	const char *reason;   /* what reports print beside the finding */
	const char *file;
	int line;
	bool expired;
	size_t matched;       /* findings of the last store_read() */
};

/* Rules of one more file. A file that is not there is an error. 0 / -1 with file and line. */
int store_add_suppressions(struct store *store, const char *path);
/* What is in force or has expired; valid until the next call that adds. */
const struct suppression *store_suppressions(const struct store *store, size_t *count);

/* The store's own file: add a rule for an id (replaces the one before), take it out (1 it was there, 0 not). */
int store_suppress(struct store *store, const char *id, const char *because, const char *until);
int store_unsuppress(struct store *store, const char *id);
/* STORE/suppressions. */
const char *store_suppressions_path(struct store *store, struct arena *arena);

/* A day of the calendar as 2027-01-31? And is it over (UTC)? */
bool is_date(const char *text);
bool date_is_over(const char *text);

/* The wildcards of TSan's patterns. An empty text matches nothing. */
bool pattern_matches(const char *pattern, const char *text);

#endif
