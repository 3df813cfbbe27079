/*
 * verdict - the ladder of evidence and the one-word result of a run.
 *
 * I1  A candidate only ever climbs (rung_max merges two opinions).
 * I2  Nothing below RUNG_CONFIRMED is called a race, in any output.
 */
#ifndef RACE_VERDICT_H
#define RACE_VERDICT_H

#include <stdbool.h>

enum rung {
	RUNG_CLAIMED,    /* scan: no common lock, may run in parallel */
	RUNG_SUSPECTED,  /* detect, sample: seen in one run, no lock, unordered */
	RUNG_CAUGHT,     /* trap: touched while watched */
	RUNG_CONFIRMED,  /* confirm: both threads stood before their accesses */
	RUNG_HARMFUL,    /* confirm: ... and one order ended badly */
	RUNG_COUNT
};

/* Who put a candidate into the store; a bit set. */
enum finder {
	FINDER_SCAN = 1u << 0,
	FINDER_DETECT = 1u << 1,
	FINDER_SAMPLE = 1u << 2,
	FINDER_TRAP = 1u << 3,
	FINDER_USER = 1u << 4,    /* confirm file:line,file:line */
	FINDER_CONFIRM = 1u << 5, /* met while confirming another pair */
};

enum verdict {
	VERDICT_CLEAN,      /* nothing was even suspected */
	VERDICT_UNDECIDED,  /* candidates, none confirmed */
	VERDICT_RACY,       /* something is confirmed */
	VERDICT_RACE_FREE,  /* scan proved it, under stated assumptions */
};

const char *rung_name(enum rung rung);
/* -1 if the word is no rung. */
int rung_parse(const char *word);
enum rung rung_max(enum rung a, enum rung b);
/* Name of one finder bit ("detect"); NULL for an unknown bit. */
const char *finder_name(enum finder bit);
const char *verdict_name(enum verdict verdict);

#endif
