/* nearest - see nearest.h. Optimal string alignment, three rows; words are short. */
#include "base/nearest.h"

#include <string.h>

#define WORD_MAX 64 /* longer words are compared by their beginning */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

unsigned word_distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];
	size_t na = strnlen(a, WORD_MAX), nb = strnlen(b, WORD_MAX);

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *reused = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min3(row[j], before[j - 2] + 1, row[j]);
		}
		before = last;
		last = row;
		row = reused;
	}
	return last[nb];
}

/* A third of the letters may be wrong, at least one; a typed beginning counts as near. */
void nearest_consider(struct nearest *nearest, const char *candidate)
{
	size_t length = strlen(nearest->word);
	unsigned distance = word_distance(nearest->word, candidate);
	unsigned allowed = (unsigned)length / 3 + (length < 3);

	if (length >= 3 && !strncmp(candidate, nearest->word, length))
		distance = allowed;
	if (distance > allowed || (nearest->best && distance >= nearest->distance))
		return;
	nearest->best = candidate;
	nearest->distance = distance;
}
