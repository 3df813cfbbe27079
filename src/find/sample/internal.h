/*
 * internal - what the files of find/sample share: the reading of one process's log.
 */
#ifndef FIND_SAMPLE_INTERNAL_H
#define FIND_SAMPLE_INTERNAL_H

#include "base/arena.h"
#include "base/vec.h"
#include "find/sample/code.h"
#include "find/sample/extend.h"
#include "find/sample/log.h"
#include "find/sample/sample.h"

/* ---- vector clocks (order.c) ---------------------------------------------------------- */

/* What a thread has heard of others: epochs, by thread number. Shared until somebody writes. */
struct clock {
	unsigned references;
	uint32_t count;
	uint32_t epoch[];
};
struct clock *clock_keep(struct clock *clock);
void clock_drop(struct clock *clock);

/* ---- one process -------------------------------------------------------------------------- */

struct seen_module {
	uint64_t base, low, high;
	uint64_t from, to;       /* order: loaded, gone */
	char build_id[BUILD_ID_HEX_MAX];
	const char *path;
	struct code *code;       /* NULL: not read */
	bool left_out;           /* libc, the loader, allocators, us: their own locks are not seen */
	uint64_t unread;         /* samples in it, of which nothing is known: no code */
};

/* More than any kernel has at a time; a number beyond is garbage. */
#define MOST_THREADS (1u << 20)

struct seen_thread {
	uint32_t parent;
	bool known;              /* its THREAD record is there */
	uint64_t created_at;
	uint64_t stack_low, stack_high;
	uint64_t from, to;       /* order: its life */
	uint64_t trusted;        /* order: its lockset is whole from there on */
};

/* One sample, placed in the order of things. */
struct seen_sample {
	const struct trace_r_sample *record;
	uint64_t order;
	uint32_t thread;
	uint32_t epoch;          /* of its thread: who has heard of it has heard of this sample */
	struct clock *heard;     /* of others, at that time; kept */
};

struct seen_access {
	uint64_t address;
	uint32_t size;
	uint32_t sample;         /* index */
	uint32_t module;
	uint32_t place;
	uint16_t flags;
	bool by_stack_pointer;
};

/* Records were dropped between these: nothing can be said of pairs across. */
struct gap {
	uint64_t from, to;
};

struct range {
	uint64_t low, high;
};

struct process {
	struct arena *arena;
	const struct log *log;
	uint32_t number;
	size_t chunk_low, chunk_high; /* in log->chunks */
	VEC(struct seen_module) modules;
	VEC(struct seen_thread) threads;
	VEC(struct seen_sample) samples;
	VEC(struct seen_access) accesses;
	VEC(struct gap) gaps;
	VEC(struct range) benign;
	VEC(const char *) notes;
};

/* read.c: modules, threads, gaps, benign ranges; then order.c: samples with their clocks. */
void process_read(struct process *process);
void process_order(struct process *process);
void process_free(struct process *process);
/* The module an address of code was in at that time; NULL none. */
struct seen_module *process_module(struct process *process, uint64_t address, uint64_t order);

/* Every record of the process, thread by thread; stops when visit returns false. */
typedef bool record_visit(void *context, uint32_t thread, const struct trace_record *record);
void process_each(const struct process *process, record_visit *visit, void *context);

/* ---- pairs.c ---------------------------------------------------------------------------------- */

/* Two places that met under the hybrid rule; a and b index accesses, an example of it. */
struct seen_pair {
	uint32_t a, b;
	uint32_t times;
};
struct pair_counts {
	uint64_t shared;   /* accesses at bytes two threads touched, one writing */
	uint64_t locked, ordered, reused, lost, atomic, stack, benign, crowded;
};
typedef VEC(struct seen_pair) seen_pairs;
void pairs_find(struct process *process, seen_pairs *pairs, struct pair_counts *counts);

/* ---- tell.c ------------------------------------------------------------------------------------- */

int pairs_tell(struct process *process, const seen_pairs *pairs, struct sym *sym, const struct find_sink *sink,
	       uint64_t *told);

/* ---- analyse.c: a whole log ------------------------------------------------------------------------ */

int log_analyse(const struct log *log, struct sym *sym, const struct find_sink *sink, struct arena *arena,
		struct sample_result *result);

#endif
