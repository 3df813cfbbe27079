/*
 * candidate - an unordered pair of sites that may race, and all that is known
 * about it. Plain data: every pointer belongs to whoever filled the struct in
 * (an arena of the run, usually) and lives as long as that.
 *
 * I1  access[0] and access[1] are in canonical order (fingerprint.h), so that a
 *     pair found as (a, b) and as (b, a) is one candidate.
 * I2  id is the fingerprint in hex; equal ids mean the same pair of statements.
 */
#ifndef RACE_CANDIDATE_H
#define RACE_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "race/access.h"
#include "race/lock.h"
#include "race/verdict.h"

#define BUILD_ID_HEX_MAX 41  /* 20 bytes in hex and a NUL */
#define CANDIDATE_ID_SIZE 17 /* 64 bits in hex and a NUL */

/* A place in a module: stable under ASLR, not under a rebuild. */
struct place {
	const char *build_id; /* hex; "" when the module has none */
	const char *module;   /* path as loaded */
	uint64_t offset;      /* address - load base, the address libdw uses */
};

struct frame {
	const char *function; /* NULL if unknown */
	const char *file;     /* NULL if unknown; as short as the reader needs */
	int line;             /* 0 if unknown */
	int column;           /* 0 if unknown */
	bool inlined;         /* this frame was inlined into the next one */
	struct place place;
};

struct held_lock {
	const char *name; /* "queue.lock", or "lock 3 (heap, first taken at f.c:12)" */
	enum lock_mode mode;
};

/*
 * One side of a pair. places[] are all sites of the statement that were seen
 * (instrumented call return addresses - 1), over all builds and runs.
 */
struct access {
	unsigned flags;        /* enum access_flag */
	unsigned size;         /* bytes */
	const char *function;  /* innermost, inlined ones count; "??" if unknown */
	const char *file;      /* "" if unknown */
	int line;
	int column;
	int ordinal;           /* line - first line of function: the fingerprint's part */
	const char *thread;    /* "T2, created at main.c:31" or "main thread" */
	const char *value;     /* found and left, in the run kept: "0 -> 1"; "0" read, or never written; NULL if unknown */
	const struct held_lock *locks;
	size_t lock_count;
	const struct frame *stack; /* innermost first; stack[0] is the access */
	size_t stack_count;
	const struct place *places;
	size_t place_count;
};

struct outcome {
	const char *name;      /* "exit 0", "SIGABRT", "deadlock", "hang", ... */
	unsigned count;
	unsigned a_first;      /* of these, how many resolved access[0] first */
	unsigned b_first;
	bool harm;             /* the undisturbed run does not end like this */
};

/* How to repeat one trial; the schedule itself lies in the store. */
struct witness {
	uint64_t seed;
	const char *policy;
	uint64_t steps;
	unsigned switches;     /* context switches after shrinking */
	const char *outcome;
	const char *schedule;  /* path of the schedule file */
};

struct candidate {
	char id[CANDIDATE_ID_SIZE];
	enum rung rung;
	unsigned found_by;     /* enum finder bits */
	struct access access[2];
	const char *variable;  /* "counter", "queue->len", or NULL */
	const char *memory;    /* "global of 4 bytes", "heap block of 64 bytes from f.c:12" or NULL */
	unsigned rank;         /* of a claim: its place among all claims of that scan, from 1; 0: not ranked */
	unsigned trials;
	unsigned hits;
	const struct outcome *outcomes;
	size_t outcome_count;
	const struct witness *witness; /* NULL until confirmed */
	const char *suppressed;        /* the reason, or NULL */
};

/* A lock-order cycle: thread i holds holds[i] and asks for waits[i] there. */
struct deadlock_edge {
	const char *holds;      /* lock name */
	const char *waits_for;  /* lock name */
	struct place held_at;   /* where the held one was taken */
	struct place wait_at;   /* where the wanted one is asked for */
	const struct frame *stack; /* of the wait */
	size_t stack_count;
};

struct deadlock {
	char id[CANDIDATE_ID_SIZE];
	enum rung rung;         /* suspected, or harmful once it really happened */
	unsigned found_by;
	const struct deadlock_edge *edges;
	size_t edge_count;
	unsigned trials;
	unsigned hits;
	const struct witness *witness;
	const char *suppressed; /* the reason, or NULL */
};

/* Something that went wrong under fuzz without a pair. */
struct failure {
	char id[CANDIDATE_ID_SIZE];
	const char *outcome;
	const char *message;    /* assertion text, ASan headline; NULL if none */
	unsigned count;
	const struct witness *witness;
	const char *suppressed; /* the reason, or NULL */
};

#endif
