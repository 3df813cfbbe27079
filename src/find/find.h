/*
 * find - STAGE 1: where candidates come from. A front end sees a sink, not the
 * store, so each can be tested with an array behind it.
 */
#ifndef FIND_FIND_H
#define FIND_FIND_H

#include "race/candidate.h"

/*
 * The structs handed over are valid during the call only; the sink copies what it
 * keeps. Each returns 0, or -1 with a message (error()) to stop the front end.
 */
struct find_sink {
	int (*candidate)(void *context, const struct candidate *candidate);
	int (*deadlock)(void *context, const struct deadlock *deadlock);
	void (*counter)(void *context, const char *name, uint64_t value);
	void (*note)(void *context, const char *line);
	void *context;
};

#endif
