/*
 * fingerprint - one name for a pair of statements over rebuilds and machines.
 *
 * Of each side: base name of the file, function, kind (read or write) and the
 * ordinal, which is the line counted from the first line of the function. That
 * survives ASLR, other compilers, inlining and lines moved above the function
 * (template arguments, which compilers spell differently, are not part of the name),
 * and it is the same for an instrumented and a plain build. Decided against: the
 * n-th access within the function (the optimiser changes n) and the column (gcc
 * and clang count differently). Two accesses of one kind on one line are one
 * statement. Sides without debug information use module base name and offset.
 */
#ifndef RACE_FINGERPRINT_H
#define RACE_FINGERPRINT_H

#include "race/candidate.h"

/*
 * The ordinal of a line, 0 = unknown. Of a function without a first line (the body of an OpenMP
 * region, which is the compiler's) it is the line itself: 0 for all would make all its pairs one.
 */
int access_ordinal(int line, int first_line);

/* Put the two accesses into canonical order and fill in the id. */
void candidate_identify(struct candidate *candidate);

/* Likewise for a cycle: rotate to canonical order, then name it. */
void deadlock_identify(struct deadlock *deadlock, struct deadlock_edge *edges);

/* Id of a failure without a pair: outcome and message. */
void failure_identify(struct failure *failure);

/* -1, 0, 1: canonical order of two sides. */
int access_order(const struct access *a, const struct access *b);

#endif
