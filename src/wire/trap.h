/*
 * trap - what deadheat trap (host) and its part of rt/trace (target) tell each other: the plan
 * area of the trace mapping (wire/trace.h).
 *
 *   struct trap_plan | tables of sites, one after the other
 *
 * The host decodes the text of each module once, publishes the sites here and puts an int3 at
 * one of them now and then, by /proc/PID/mem. Whoever executes it finds the site in the table:
 * the original byte, which it restores, and the operand, whose address it watches. So nothing
 * in the target depends on the host being alive, and a forked child that has its parent's int3s
 * finds them in the same tables.
 *
 * I1  A table is complete before table_count covers it, and never changes then.
 * I2  Sites of a table are sorted by offset; every memory instruction is one, also those that
 *     never get an int3 (TRAP_QUIET): who trips a watch is looked up by the end of its instruction.
 * I3  hits and finds are rings: written by targets, read by the host; what does not fit is counted.
 */
#ifndef WIRE_TRAP_H
#define WIRE_TRAP_H

#include <stdint.h>

#include "wire/plan.h"

#define TRAP_VERSION 2u
#define TRAP_TABLES 512u
#define TRAP_HITS 4096u
#define TRAP_FINDS 256u
#define TRAP_LOCKS 8u
#define TRAP_STACK 16u

enum trap_mode {
	TRAP_DEADHEAT = 0, /* both: clock races are re-checked by stalling */
	TRAP_CLOCK = 1,    /* CRSampler: nobody is stalled */
	TRAP_COLLIDER = 2, /* DataCollider: stall always, no clock */
};

enum trap_site_flag {
	TRAP_WRITE = 1u << 0,
	TRAP_ATOMIC = 1u << 1, /* lock prefix, xchg */
	TRAP_QUIET = 1u << 2,  /* never gets an int3: the stack, constants */
};

struct trap_site {
	uint32_t offset;       /* of the instruction: address - load base */
	int32_t displacement;
	uint8_t base, index;   /* enum wire_plain_register */
	uint8_t scale;
	uint8_t length;        /* of the instruction */
	uint8_t size;          /* of the operand */
	uint8_t flags;         /* enum trap_site_flag */
	uint8_t original;      /* its first byte */
	uint8_t reserved;
};

struct trap_table {
	uint8_t build_id[20];
	uint32_t build_id_size; /* 0: by path */
	uint32_t count;
	uint32_t reserved;
	uint64_t at;            /* from the start of the plan */
	char path[216];
};

/* What became of an int3. */
enum trap_hit_flag {
	TRAP_HIT_PRIVATE = 1u << 0, /* an address on the thread's own stack */
	TRAP_HIT_BUSY = 1u << 1,    /* the watch was in use, or no budget */
	TRAP_HIT_WATCHED = 1u << 2,
	TRAP_HIT_STALLED = 1u << 3,
};

struct trap_hit {
	uint32_t ready;   /* written last; the host sets 0 */
	uint32_t process;
	uint32_t table;
	uint32_t site;
	uint32_t flags;   /* enum trap_hit_flag */
	uint32_t reserved;
};

enum trap_how {
	TRAP_BY_STALL = 1, /* touched while the first stood before its access: caught */
	TRAP_BY_CLOCK = 2, /* touched before the first passed a sync operation: suspected */
	TRAP_BY_VALUE = 3, /* no watch to be had: the value changed while it stood there */
};

struct trap_side {
	uint64_t pc;       /* a: the instruction; b: the one after */
	uint64_t address;
	uint64_t clock;
	uint32_t size;
	uint32_t thread;
	uint32_t lock_count;
	uint32_t stack_count; /* return addresses by frame pointers, the access itself not among them */
	uint64_t locks[TRAP_LOCKS]; /* bit 63: held for reading (TRACE_LOCK_SHARED) */
	uint64_t stack[TRAP_STACK];
};

struct trap_find {
	uint32_t ready;
	uint32_t process;
	uint32_t how;     /* enum trap_how */
	uint32_t flags;   /* enum trap_site_flag of a */
	struct trap_side a, b;
};

#define TRAP_COUNTERS(X) \
	X(TRAP_C_ARMED, "traps_armed") \
	X(TRAP_C_HITS, "traps_hit") \
	X(TRAP_C_PRIVATE, "traps_on_own_stack") \
	X(TRAP_C_BUSY, "traps_not_watched") \
	X(TRAP_C_WATCHES, "watches") \
	X(TRAP_C_STALLS, "stalls") \
	X(TRAP_C_STALL_NS, "stall_ns") \
	X(TRAP_C_HANDLER_NS, "trap_handler_ns") \
	X(TRAP_C_HOST_NS, "deadheat_ns") \
	X(TRAP_C_OWN, "own_accesses_seen") \
	X(TRAP_C_FOREIGN, "foreign_accesses_seen") \
	X(TRAP_C_LATE, "foreign_accesses_too_late") \
	X(TRAP_C_NO_WATCH, "processes_without_watchpoints") \
	X(TRAP_C_NO_TEXT, "restores_refused") \
	X(TRAP_C_LOST, "lost_finds")

enum trap_counter {
#define X(symbol, name) symbol,
	TRAP_COUNTERS(X)
#undef X
	TRAP_C_COUNT
};

/* A process and the host must not meet in text that is just being unmapped. */
struct trap_gate {
	uint32_t writing;  /* host: it writes to this process */
	uint32_t closed;   /* target: do not begin */
	uint32_t left;     /* target: nothing of ours is there any more, and must not be again (seccomp) */
	uint32_t reserved;
};

/* Modules the process has taken note of: only those get int3s, or its handler would not know them. */
#define TRAP_MODULES 126u
struct trap_modules {
	uint32_t count;    /* 0 while it changes */
	uint32_t changes;  /* told so often: the host looks at the mappings when this moves */
	uint64_t base[TRAP_MODULES];
};

struct trap_plan {
	uint32_t version;
	uint32_t mode;          /* enum trap_mode */
	uint64_t limit_ns;      /* a watch without a stall lasts so long */
	uint64_t stall_ns;
	uint32_t no_perf;       /* host: do not use watchpoints (tests) */
	uint32_t late;          /* host: the process runs already (--pid): it has threads */
	uint32_t keep_handler;  /* host, before the detach: a SIGTRAP may still be under way */
	uint32_t table_count;   /* host adds, release */
	int64_t tokens_ns;      /* the host adds the budget; handlers, and the host for itself, take what they used */
	uint32_t hit_next;      /* targets add */
	uint32_t find_next;
	uint64_t counters[TRAP_C_COUNT];
	struct trap_gate gates[1024]; /* TRACE_PROCESSES */
	struct trap_modules modules[1024];
	struct trap_table tables[TRAP_TABLES];
	struct trap_hit hits[TRAP_HITS];
	struct trap_find finds[TRAP_FINDS];
};

#endif
