/*
 * transfer - all of a store as JSON lines, and back: moving, merging, keeping.
 *
 * The lines are described in docs/store.md (schema deadheat-store/1). Importing what is there
 * already changes nothing: findings merge by id, trials by their key, runs by their origin.
 * Campaigns are not taken along: they are work orders, their results are trials.
 */
#ifndef STORE_TRANSFER_H
#define STORE_TRANSFER_H

#include <stdio.h>

#include "store/store.h"

struct transfer_count {
	uint64_t findings, new_findings, trials, new_trials;
};

/* 0 / -1. */
int store_export(struct store *store, FILE *out);
/*
 * name: of the file, for messages with the line. What came before a bad line stays; the same
 * file can be imported again. 0 / -1.
 */
int store_import(struct store *store, FILE *in, const char *name, struct transfer_count *count);

#endif
