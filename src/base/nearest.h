/*
 * nearest - the word a person probably meant.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/*
 * Of two words: how many letters must be put in, left out, changed or swapped with their
 * neighbour to get from one to the other.
 */
unsigned word_distance(const char *a, const char *b);

/* Collects the best of several words; start with { .word = typed }. */
struct nearest {
	const char *word;
	const char *best;   /* NULL: none is near enough to be worth a hint */
	unsigned distance;
};
void nearest_consider(struct nearest *nearest, const char *candidate);

#endif
