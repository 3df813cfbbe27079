/*
 * wire - THE BORDER between the host (deadheat) and a runtime inside the target.
 *
 * One shared mapping (a memfd made by the host), handed over as a file number in
 * the environment and mapped by the runtime's constructor, which then closes the
 * file and takes the variable out of the environment. What the target wrote stays
 * readable when it crashes, exits by _exit or is killed: nothing is buffered on
 * the target's side.
 *
 *   DEADHEAT_WIRE=<memfd>[,<control socket>]
 *
 *   0        header_size    plan_offset        log_offset         steps_offset
 *   +--------+--------------+------------------+------------------+-------------+
 *   | header | (page pad)   | plan, plan.h     | records, event.h | wire_step[] |
 *   +--------+--------------+------------------+------------------+-------------+
 *             host writes    host writes         target appends     target appends
 *
 * I1  magic, version, runtime_version keep their place in every version, so that
 *     two that do not fit can still say so.
 * I2  A record is reserved by adding to log_reserved, filled, then committed by
 *     storing its nonzero type last (release). The reader stops at the first
 *     record of type 0: a torn record at the end is not an error.
 * I3  A record that does not fit is dropped and WIRE_LOST_RECORDS counted.
 * I4  The first process that claims (claimed_pid 0 -> pid) owns the wire. Others
 *     with the same environment run with inert hooks.
 * All integers are little endian, natural alignment, no padding left to chance.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdint.h>

#define WIRE_MAGIC 0x3145524957484444ull /* "DDHWIRE1" */
#define WIRE_VERSION 2u
#define WIRE_ENV "DEADHEAT_WIRE"

enum wire_runtime {
	WIRE_RT_NONE = 0,
	WIRE_RT_NOP = 1,
	WIRE_RT_DETECT = 2,
	WIRE_RT_SCHED = 3,
	WIRE_RT_EXPLORE = 4, /* detect's engine under sched's turns */
	WIRE_RT_TRACE = 5,
};

enum wire_state {
	WIRE_IDLE = 0,     /* nobody has mapped it */
	WIRE_CLAIMED = 1,  /* the runtime has read the plan */
	WIRE_REFUSED = 2,  /* the runtime cannot work with it; see refusal */
	WIRE_RUNNING = 3,  /* the constructor has ended, the program runs */
	WIRE_ENDED = 4,    /* exit handlers reached: the counters are final */
};

/* Everything that can get lost or is worth counting, by name: X(symbol, json name). */
#define WIRE_COUNTERS(X) \
	X(WIRE_LOST_RECORDS, "lost_records") \
	X(WIRE_LOST_PAIRS, "lost_pairs") \
	X(WIRE_LOST_CELLS, "replaced_cells") \
	X(WIRE_LOST_LISTS, "granule_lists_refused") \
	X(WIRE_LOST_SITES, "lost_sites") \
	X(WIRE_LOST_SEGMENTS, "segment_resets") \
	X(WIRE_LOST_LOCKS, "lost_locks") \
	X(WIRE_LOST_THREADS, "lost_threads") \
	X(WIRE_LOST_STACKS, "lost_stacks") \
	X(WIRE_LOST_CYCLES, "lost_cycles") \
	X(WIRE_LOST_MEMORY, "shadow_refused") \
	X(WIRE_LOST_STEPS, "lost_steps") \
	X(WIRE_LOST_VISITS, "lost_visits") \
	X(WIRE_SKIPPED_REENTRANT, "skipped_in_runtime") \
	X(WIRE_SKIPPED_SAMPLED, "skipped_by_sampling") \
	X(WIRE_PATCHED_SITES, "patched_sites") \
	X(WIRE_UNPATCHED_SITES, "unpatched_sites") \
	X(WIRE_THREADS, "threads") \
	X(WIRE_SEGMENTS, "segments") \
	X(WIRE_LOCKSETS, "locksets") \
	X(WIRE_SITES, "sites") \
	X(WIRE_LISTED_GRANULES, "listed_granules") \
	X(WIRE_CHILDREN, "forked_children") \
	X(WIRE_WATCHDOG, "watchdog_interventions") \
	X(WIRE_OUTSIDE, "blocking_calls_outside") \
	X(WIRE_REPEATED_HITS, "repeated_hits_not_recorded") \
	X(WIRE_MEANT_PAIRS, "meant_pairs")

enum wire_counter {
#define X(symbol, name) symbol,
	WIRE_COUNTERS(X)
#undef X
	WIRE_COUNTER_COUNT
};

struct wire_header {
	uint64_t magic;            /* host */
	uint32_t version;          /* host: WIRE_VERSION */
	uint32_t runtime_version;  /* target: WIRE_VERSION it was built with */
	uint32_t runtime;          /* target: enum wire_runtime */
	uint32_t state;            /* target: enum wire_state */
	uint32_t claimed_pid;      /* target */
	uint32_t wanted_runtime;   /* host */
	uint64_t total_size;       /* host: of the mapping */
	uint64_t plan_offset;      /* host */
	uint64_t plan_size;        /* host */
	uint64_t log_offset;       /* host */
	uint64_t log_size;         /* host */
	uint64_t log_reserved;     /* target; host sets 0 before each trial */
	uint64_t steps_offset;     /* host */
	uint64_t steps_size;       /* host: in bytes */
	uint64_t steps_used;       /* target: number of wire_steps */
	uint64_t step_hash;        /* target: running hash, schedule.h */
	uint64_t counters[WIRE_COUNTER_COUNT];
	char refusal[256];         /* target: why WIRE_REFUSED */
};

/* A place in the target: index of a module record and offset from its load base. */
struct wire_pc {
	uint32_t module; /* WIRE_NO_MODULE: offset is the low half of an address in none */
	uint32_t offset;
};

#define WIRE_NO_MODULE 0xffffffffu
#define WIRE_PAGE 4096u

#endif
