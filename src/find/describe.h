/*
 * describe - from the numbers on the wire to the words of race/: module + offset become
 * functions, lines, variables; lock addresses become names; threads get descriptions.
 *
 * One struct describe reads one process's records in order (modules and threads must be
 * known before a pair speaks of them): feed it every record with describe_learn(), then
 * ask. Everything it returns is in its arena.
 */
#ifndef FIND_DESCRIBE_H
#define FIND_DESCRIBE_H

#include "base/arena.h"
#include "base/vec.h"
#include "race/candidate.h"
#include "sym/sym.h"
#include "wire/reader.h"

struct describe_thread {
	uint32_t id, parent, nth_child;
	struct wire_pc created_at;
};

struct describe_known; /* a return address that was asked for before, and its frames */

struct describe {
	struct sym *sym;
	struct arena *arena;
	VEC(struct place) modules;      /* place.offset = load base */
	VEC(uint64_t) module_ends;
	VEC(struct describe_thread) threads;
	struct describe_known *known;   /* by wire_pc: stacks meet in few places */
};

void describe_begin(struct describe *describe, struct sym *sym, struct arena *arena);
void describe_end(struct describe *describe);

/* Take in a MODULE or THREAD record; others are ignored. */
void describe_learn(struct describe *describe, const struct wire_record *record);

/* The place itself. correction is 1 for return addresses, 0 for data. */
struct place describe_place(const struct describe *describe, struct wire_pc pc, unsigned correction);
/* Absolute address of a global in one of the modules; false if in none. */
bool describe_address(const struct describe *describe, uint64_t address, struct place *place);

/* Frames of one return address, inlined ones included; those of the system's libraries by name alone. */
size_t describe_frames(struct describe *describe, struct wire_pc pc, const struct frame **frames, int *first_line);
/* Frames of a stack of return addresses, inlined ones included, the runtime's own left out. */
size_t describe_stack(struct describe *describe, const struct wire_pc *pcs, size_t count, struct frame **frames);
/* "f.c:12 in main": innermost frame of a return address in a few words. */
const char *describe_where(struct describe *describe, struct wire_pc pc);
/* "main thread", "T2, created at main.c:31 in start". */
const char *describe_thread_name(struct describe *describe, uint32_t id);
/* "queue.lock", "lock 3 (first taken at f.c:12 in push)". */
const char *describe_lock_name(struct describe *describe, const struct wire_lock *lock);
/* The same for what a thread waits for. */
const char *describe_wanted_name(struct describe *describe, const struct wire_wait *wait);

/*
 * "0", "0 -> 1": what a read sees, what a write finds and leaves, as far as the record knows. NULL: unknown,
 * or more than 8 bytes.
 */
const char *describe_value(struct arena *arena, const struct wire_access *access);

/* PAIR or HIT to a candidate with id, rung suspected, found_by 0. false: the record is torn. */
bool describe_pair(struct describe *describe, const struct wire_record *record, struct candidate *candidate);
/* The same, but says which side of the record access[0] came from (identify may swap): *swapped. */
bool describe_hit(struct describe *describe, const struct wire_record *record, struct candidate *candidate,
		  bool *swapped);
/* CYCLE or DEADLOCK to a deadlock with id, rung suspected. */
bool describe_deadlock(struct describe *describe, const struct wire_record *record, struct deadlock *deadlock);

#endif
