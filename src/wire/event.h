/*
 * event - target to host: the records in the log area of the wire.
 *
 * Every record starts with struct wire_record; sizes are multiples of 8. Arrays
 * follow the fixed part in the order their counts are named.
 */
#ifndef WIRE_EVENT_H
#define WIRE_EVENT_H

#include <stdint.h>

#include "wire/wire.h"

enum wire_record_type {
	WIRE_EV_NONE = 0,
	WIRE_EV_MODULE = 1,
	WIRE_EV_THREAD = 2,
	WIRE_EV_PAIR = 3,
	WIRE_EV_CYCLE = 4,
	WIRE_EV_HIT = 5,
	WIRE_EV_DEADLOCK = 6,
	WIRE_EV_VISITED = 7,
	WIRE_EV_NOTE = 8,
	WIRE_EV_END = 9,
	WIRE_EV_ABORT = 10,
	WIRE_EV_GATE = 11,
};

struct wire_record {
	uint32_t size; /* whole record, multiple of 8 */
	uint32_t type; /* stored last; 0 = not yet committed */
};

/* A module was seen; its index is the count of MODULE records before it. */
struct wire_ev_module {
	struct wire_record head;
	uint64_t base;       /* load base: address = base + offset */
	uint64_t end;        /* highest mapped address */
	char build_id[48];   /* hex, NUL padded; "" if none */
	uint32_t path_size;  /* bytes of path that follow, with NUL */
	uint32_t reserved;
	/* char path[] */
};

struct wire_ev_thread {
	struct wire_record head;
	uint32_t id;          /* ordinal of creation; 0 = main */
	uint32_t parent;
	uint32_t nth_child;   /* creation path: n-th thread its parent made, from 1 */
	uint32_t reserved;
	struct wire_pc created_at;
};

struct wire_lock {
	uint64_t address;
	struct wire_pc taken_at;  /* where this thread took it */
	struct wire_pc first_at;  /* where it was first taken by anyone */
	uint32_t mode;            /* enum lock_mode */
	uint32_t id;              /* ordinal; same id = same lock in this run */
};

/* Which of the bytes of a wire_access are known. */
enum wire_value_state { WIRE_VALUE_NONE = 0, WIRE_VALUE_KNOWN = 1, WIRE_VALUE_WENT = 2, WIRE_VALUE_LEFT = 4 };

/* One access of a pair or a hit; then lock_count wire_lock, stack_count wire_pc. */
struct wire_access {
	struct wire_pc pc;    /* return address of the instrumented call */
	uint64_t address;
	uint32_t size;
	uint32_t flags;       /* enum access_flag */
	uint32_t thread;
	uint32_t lock_count;
	uint32_t stack_count; /* innermost first, return addresses; 0: lost */
	uint32_t value_state; /* bits of enum wire_value_state */
	uint64_t value;       /* bytes at address when it stood there, low bytes first */
	/* sched, filled in as the meeting is resolved: */
	uint64_t went;        /* ... when its turn came: what a read sees */
	uint64_t left;        /* ... when it reached its next point: what a write left */
};

/* Where the bytes live. */
enum wire_memory { WIRE_MEM_UNKNOWN = 0, WIRE_MEM_GLOBAL = 1, WIRE_MEM_HEAP = 2, WIRE_MEM_STACK = 3 };

/* PAIR (detect) and HIT (sched): fixed part, access a + arrays, access b + arrays. */
struct wire_ev_pair {
	struct wire_record head;
	uint32_t memory;           /* enum wire_memory */
	uint32_t memory_thread;    /* of the stack */
	struct wire_pc memory_pc;  /* global: module + offset of the bytes; heap: allocation site */
	uint64_t memory_start;     /* heap: block start */
	uint64_t memory_size;      /* heap: block size; 0 unknown */
	uint64_t step;             /* sched: index of the STEP_HIT */
	uint32_t first;            /* sched: 0 a was let go first, 1 b */
	uint32_t reserved;
	/* struct wire_access a; locks; stack; struct wire_access b; locks; stack */
};

/* One thread's part in a lock cycle (detect) or a real deadlock (sched). */
struct wire_wait {
	uint32_t thread;
	uint32_t op;               /* enum wire_op it waits in */
	uint32_t lock_count;       /* held: wire_lock follow */
	uint32_t stack_count;      /* wire_pc follow */
	uint64_t wants;            /* address of the object waited for */
	uint32_t wants_id;         /* lock ordinal, 0 if no lock */
	uint32_t owner;            /* thread that holds it; ~0 if none */
	struct wire_pc wants_first_at;
};

/* CYCLE and DEADLOCK: then wait_count times (wire_wait, locks, stack). */
struct wire_ev_deadlock {
	struct wire_record head;
	uint32_t wait_count;
	uint32_t reserved;
};

/* An access site the trial patched away: the fork server patches it in the parent. */
struct wire_ev_visited {
	struct wire_record head;
	uint64_t site;             /* return address in the target */
};

/* A line for people: "forked child 4711 runs unscheduled". */
struct wire_ev_note {
	struct wire_record head;
	uint32_t text_size;        /* with NUL */
	uint32_t reserved;
	/* char text[] */
};

/* abort() was called here; inlined into assume_abort_if_not it was only a failed assumption. */
struct wire_ev_abort {
	struct wire_record head;
	struct wire_pc pc;
};

/* A thread held back before its access of `side` has a lock others wait for: where it took it. */
struct wire_ev_gate {
	struct wire_record head;
	uint32_t side;             /* WIRE_SIDE_A or _B */
	uint32_t reserved;
	struct wire_pc taken_at;
};

enum wire_end {
	WIRE_END_EXIT = 1,      /* exit or return from main; code = status */
	WIRE_END_DEADLOCK = 2,  /* nobody enabled, somebody alive */
	WIRE_END_HANG = 3,      /* step limit */
	WIRE_END_WATCHDOG = 4,  /* wall clock */
	WIRE_END_ASSUME = 5,    /* __VERIFIER assume failed: the trial does not count */
	WIRE_END_ERROR = 6,     /* reach_error, __assert_fail: text in a NOTE */
	WIRE_END_DIVERGED = 7,  /* replay: code = index of the first step that differs */
};

struct wire_ev_end {
	struct wire_record head;
	uint32_t how;           /* enum wire_end */
	int32_t code;
	uint64_t steps;
	uint64_t hash;
	uint32_t switches;      /* context switches */
	uint32_t threads;
};

#endif
