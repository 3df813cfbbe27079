/*
 * analyse - RELAY and beyond, over a linked program: claims in, proofs where there are any.
 *
 * What it gives back is plain data for the printers (cmd_scan, --explain, --summary, the store):
 * pairs that are left, how many each named exclusion removed, and every unsound or unknown step
 * with its place. `race_free` is true only if no pair is left AND no assumption is listed that
 * is not sound.
 */
#ifndef FIND_SCAN_ANALYSE_H
#define FIND_SCAN_ANALYSE_H

#include "base/arena.h"
#include "find/scan/linked.h"
#include "find/scan/models.h"
#include "race/candidate.h"

/* The named exclusions, in the order they are tried; --without NAME. X(ENUM, "name", "what it is") */
#define EXCLUSIONS(X) \
	X(LOCKS, "locks", "a lock common to both") \
	X(MODES, "lock-modes", "a read lock against a write lock") \
	X(ATOMICS, "atomics", "both accesses atomic") \
	X(THREADS, "threads", "may not run in parallel: created, joined") \
	X(ONCE_THREAD, "single-thread", "the thread exists once, both are its own") \
	X(BEFORE_SHARING, "fresh", "the object was not yet visible to others") \
	X(TLS, "thread-local", "one object per thread") \
	X(ONCE, "once", "inside a once routine, or after it") \
	X(BARRIERS, "barriers", "separated by a barrier") \
	X(CONDITIONS, "hand-over", "ordered by a flag under a lock and a condition or semaphore") \
	X(SAME_OBJECT, "same-object", "the lock lies in the object it guards") \
	X(INDEXED, "indexed", "array elements by thread argument") \
	X(FENCES, "publication", "release store and acquire load of one flag")

enum exclusion {
#define X(name, word, text) EXCLUDE_##name,
	EXCLUSIONS(X)
#undef X
	EXCLUSION_COUNT
};

struct analyse_options {
	uint32_t without;       /* bit per exclusion: switched off */
	unsigned jobs;          /* 0: one per core */
	unsigned path_depth;    /* dereferences followed symbolically; 0: the default */
	uint64_t budget;        /* instructions visited per function before it is cut short (listed); 0: default */
	bool kernel;            /* no main: every handler and exported entry is a thread */
	const char *const *entries; /* more thread entries by name (--entry), NULL terminated or NULL */
	void (*progress)(void *context, const char *phase, size_t done, size_t all);
	void *context;
};

/* One step of the way from thread entry to access: "worker" at file:line calls ... */
struct scan_step {
	const char *function, *file;
	int line;
	const char *how;        /* "", "through a function pointer (points-to)", "... (signature)", "... (field ops.open)" */
};
struct scan_side {
	struct access access;   /* flags, size, function, file, line, column, ordinal, locks: as the store wants them */
	const char *thread;     /* entry: "worker, created at main.c:31 (many)" or "main" */
	const struct scan_step *path;
	size_t path_count;
	const char *expression; /* "(*arg0).len": the symbolic path as text */
};
struct scan_pair {
	struct scan_side side[2];
	const char *variable;   /* "counter", "queue->len" */
	const char *why_alias;  /* "the same global", "both reach heap object of queue.c:12" */
	unsigned rank;          /* smaller is likelier; the paper's four filters, docs/scan.md */
	unsigned turn;         /* the how-manieth of this rank on its variable, from 0 */
	const char *rank_reason;/* which filters spoke against it, "" none */
};
enum assumption_kind { ASSUME_UNRESOLVED_CALL, ASSUME_ASM, ASSUME_UNKNOWN_FUNCTION, ASSUME_DEPTH, ASSUME_BUDGET, ASSUME_SKIPPED_FILE,
	ASSUME_NO_THREADS_SEEN, ASSUME_CAST, ASSUMPTION_KIND_COUNT };
struct scan_assumption {
	enum assumption_kind kind;
	const char *text;       /* "unknown function frob: taken to read and write what its arguments reach" */
	const char *file;
	int line;
	size_t count;           /* places with the same text; file:line is the first */
	bool sound;             /* the conservative default was used: a proof still holds */
};
struct scan_result {
	struct scan_pair *pairs; /* by rank */
	size_t pair_count;
	struct scan_assumption *assumptions;
	size_t assumption_count;
	uint64_t excluded[EXCLUSION_COUNT];
	bool race_free;
	size_t function_count, summarised_count, access_count, thread_count, considered_pairs;
};
int analyse(struct scan_result *result, struct arena *arena, const struct linked *program, const struct models *models,
	    const struct analyse_options *options);
/* --summary FUNCTION: locks acquired and released, guarded accesses, as the paper prints them. -1: no such function. */
struct strbuf;
int analyse_summary(struct strbuf *out, const struct linked *program, const struct models *models,
		    const struct analyse_options *options, const char *function);

#endif
