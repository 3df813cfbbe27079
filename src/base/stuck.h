/*
 * stuck - can a process never go on again? An undisturbed run may deadlock by itself, and
 * then nobody would ever hear of it.
 *
 * Stuck means: every thread sleeps in a futex wait without a timeout, no signal of it has a
 * handler and it has no children (so nobody outside wakes it), and nothing of that has
 * changed between looks for STUCK_MS. Anything that cannot be read counts as alive.
 */
#ifndef BASE_STUCK_H
#define BASE_STUCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define STUCK_MS 1500

/* Starts as { 0 }. */
struct stuck {
	uint64_t state;  /* of the last look; 0: it was alive */
	uint64_t since;  /* monotonic ms */
};

/* A look at the process; call it every now and then. True once it is stuck. */
bool stuck_look(struct stuck *stuck, pid_t pid);

#endif
