/* verdict - words for rungs, finders and verdicts; see verdict.h. */
#include "race/verdict.h"

#include <stddef.h>
#include <string.h>

static const char *const rung_names[RUNG_COUNT] = {
	"claimed", "suspected", "caught", "confirmed", "harmful",
};

static const char *const finder_names[] = {
	"scan", "detect", "sample", "trap", "user", "confirm",
};

const char *rung_name(enum rung rung)
{
	return rung_names[rung];
}

int rung_parse(const char *word)
{
	for (int i = 0; i < RUNG_COUNT; i++)
		if (!strcmp(word, rung_names[i]))
			return i;
	return -1;
}

enum rung rung_max(enum rung a, enum rung b)
{
	return a > b ? a : b;
}

const char *finder_name(enum finder bit)
{
	for (unsigned i = 0; i < sizeof(finder_names) / sizeof(finder_names[0]); i++)
		if ((unsigned)bit == 1u << i)
			return finder_names[i];
	return NULL;
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = { "clean", "undecided", "racy", "race-free" };

	return names[verdict];
}
