/*
 * callee - what a call to a runtime entry point or to a libc function accesses, told by
 * its name alone. Mirrors the entry points of src/rt/abi.
 */
#ifndef SYM_CALLEE_H
#define SYM_CALLEE_H

struct callee {
	unsigned size;     /* bytes, 0 unknown */
	unsigned count;    /* of flags: memcpy reads and writes */
	unsigned flags[2]; /* enum access_flag */
};

/* NULL if the function accesses nothing deadheat looks at. */
const struct callee *callee_find(const char *name);

#endif
