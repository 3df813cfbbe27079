/*
 * ways - the state at a point of a function is a few ways of getting there, each with what it knows of
 * results: value v is zero / is not zero. That is how `if (trylock(m) == 0)`, `if (flag) lock(m)` ...
 * `if (flag) unlock(m)` and functions that return whether they hold the lock (the paper's conditional
 * locking) are followed. Ways with equal facts are one; too many (WAYS) are met.
 */
#ifndef FIND_SCAN_WAYS_H
#define FIND_SCAN_WAYS_H

#include "find/scan/internal.h"

#define WAYS 6
#define KNOWN 6

struct way {
	facts_id state;
	uint32_t count;
	struct { uint32_t value; bool nonzero; } known[KNOWN];
};
struct ways {
	uint32_t count;
	struct way way[WAYS];
};

/* 0 zero, 1 not zero, -1 not known. */
int way_knows(const struct way *way, uint32_t value);
void way_forget(struct way *way, uint32_t value);
void way_learn(struct way *way, uint32_t value, bool nonzero);
void way_keep_common(struct way *a, const struct way *b);
void ways_add(struct scan *s, struct ways *ways, const struct way *way);
/* Adds to the state at a block's entry; true if it changed. A block's ways are met when they do not come to rest. */
bool ways_merge(struct scan *s, struct ways *to, const struct ways *from, uint32_t visits);

/* meaning.c */
/* Which value does this condition speak of, and is it zero or not when the condition holds? false: nothing said. */
struct meaning {
	uint32_t value;
	bool said[2];     /* by outcome false / true */
	bool nonzero[2];
};
/* bit: the operand is one bit wide. A bool in memory is a byte; cut down to one bit it is the same bool. */
bool meaning_of(const struct work *w, ir_operand o, struct meaning *m, bool bit);
/* Never null. */
bool is_address(const struct work *w, ir_operand o);

#endif
