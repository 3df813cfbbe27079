/*
 * scan - STAGE 1, static: sources in, claims and perhaps a proof out. The face of this folder.
 *
 *     load (clang, lowering, cache) -> models -> analyse -> claims -> sink
 *
 * A claim is a pair the analysis could not exclude, with its id: the same id detect would give
 * the two statements. Pairs of the same statements reached in several ways are one claim, the
 * likeliest way is kept.
 */
#ifndef FIND_SCAN_SCAN_H
#define FIND_SCAN_SCAN_H

#include "find/find.h"
#include "find/scan/analyse.h"
#include "find/scan/load.h"
#include "find/scan/models.h"

struct scan_options {
	struct load_options load;      /* its progress and skipped are ours to set */
	struct analyse_options analyse; /* likewise */
	const char *const *models;     /* files of the project */
	size_t model_count;
	bool likely;                   /* only claims that none of the paper's four filters speaks against */
	void (*progress)(const char *phase, size_t done, size_t all, const char *what); /* or NULL */
	void (*skipped)(const char *file, const char *why);                             /* or NULL */
};

struct scan_claim {
	struct candidate candidate;    /* in canonical order, identified */
	const struct scan_pair *pair;
	const struct scan_side *side[2]; /* of candidate.access[0], [1] */
	size_t ways;                   /* pairs of these two statements */
};

struct scan {
	struct load_result loaded;
	struct models *models;
	struct scan_result result;     /* race_free is false too when a file was skipped */
	struct scan_claim *claims;     /* by rank */
	size_t claim_count;
	size_t unlikely_count;         /* left out by `likely` */
};

/* 0, or -1 with one line. Everything in scan lives in the arena or until scan_free(). */
int scan_run(struct scan *scan, struct arena *arena, const struct scan_options *options);
void scan_free(struct scan *scan);
/* Claims and counters into a sink. 0 / -1. */
int scan_put(const struct scan *scan, const struct find_sink *sink);
/* "locks": the bit of an exclusion for --without; -1 with a line that lists them. */
int scan_exclusion(const char *name);
const char *scan_exclusion_name(enum exclusion exclusion);
const char *scan_exclusion_text(enum exclusion exclusion);
/* "unknown function", ...: the word before an assumption's text. */
const char *scan_assumption_name(enum assumption_kind kind);

#endif
