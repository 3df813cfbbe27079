/*
 * plan - host to target: what the runtime is to do in this run or trial.
 *
 * At plan_offset: struct wire_plan, then module_count wire_plan_module, then
 * site_count wire_plan_site, then edge_count wire_plan_edge, then choice_count
 * wire_choice (schedule.h), then plain_count wire_plan_plain. The host may rewrite it between two trials of a fork
 * server; the target reads it in the child, after the fork.
 */
#ifndef WIRE_PLAN_H
#define WIRE_PLAN_H

#include <stdint.h>

enum wire_rule { WIRE_RULE_HYBRID = 0, WIRE_RULE_HB = 1 };
enum wire_sample { WIRE_SAMPLE_ALL = 0, WIRE_SAMPLE_PACER = 1, WIRE_SAMPLE_LITERACE = 2 };

enum wire_policy {
	WIRE_POLICY_PAIR = 0,   /* RaceFuzzer */
	WIRE_POLICY_RANDOM = 1,
	WIRE_POLICY_PCT = 2,
	WIRE_POLICY_POS = 3,
	WIRE_POLICY_SURW = 4,
	WIRE_POLICY_REPLAY = 5, /* follow the choices of the plan */
};

enum wire_plan_flag {
	WIRE_PIN = 1u << 0,          /* clock, pid, random numbers are the same in each run */
	WIRE_SPURIOUS = 1u << 1,     /* condition waits may wake for nothing */
	WIRE_STOP_AT_HIT = 1u << 2,  /* replay --gdb: raise SIGTRAP where both stand */
	WIRE_FORK_SERVER = 1u << 3,  /* serve trials over the control socket */
	WIRE_NO_PATCH = 1u << 4,     /* leave the text alone (tests, SELinux) */
	WIRE_RECORD_STEPS = 1u << 5, /* keep the schedule; off for speed in mass trials */
	WIRE_NATIVE_TIME = 1u << 6,  /* sched: clocks and sleeps stay real */
	WIRE_STRICT = 1u << 7,       /* pair: two threads at the same side are no meeting (see pair.c) */
	WIRE_ORDER = 1u << 9,        /* the sides are places that take a lock: both orders, no race (order.c) */
	WIRE_LET_GO = 1u << 8,       /* pair: after a meeting nobody of it is held back any longer (see there) */
	WIRE_FAVOUR_A = 1u << 10,    /* with LET_GO: when all are held back, one at side a is let go (see pair.c) */
	WIRE_FAVOUR_B = 1u << 11,
};

/* Sites of this module, matched by build-id or, when it has none, by path. */
struct wire_plan_module {
	char build_id[48]; /* hex, NUL padded */
	char path[464];
};

enum wire_side {
	WIRE_SIDE_A = 0,     /* access[0] of the candidate */
	WIRE_SIDE_B = 1,     /* access[1] */
	WIRE_SIDE_BOTH = 2,  /* the site belongs to both sides (a statement against itself) */
	WIRE_SIDE_WATCH = 3, /* detect: take a stack here, list its granules exhaustively */
	WIRE_SIDE_POINT = 4, /* sched, any policy: a scheduling point and nothing more */
	WIRE_SIDE_GATE_A = 5, /* a place that takes a lock which side a then has in its hands: wait before it (gate.c) */
	WIRE_SIDE_GATE_B = 6,
	WIRE_SIDE_PLAIN = 7, /* explore, a program without instrumentation: told to the engine, nothing else */
};

/* Besides the access flags in a site's flags: which accesses of an instruction that does both are meant. */
enum wire_site_flag { WIRE_SITE_READS = 1u << 16, WIRE_SITE_WRITES = 1u << 17 };

struct wire_plan_site {
	uint32_t module; /* index into the plan's modules */
	uint32_t offset; /* of the return address of the instrumented call */
	uint32_t side;   /* enum wire_side */
	uint32_t flags;  /* enum access_flag of the candidate's side, for information; enum wire_site_flag */
};

/*
 * How the runtime executes one site of an uninstrumented program (rt/plain): the instruction at
 * the site (its offset - 1) becomes an int3, a copy of it is run elsewhere. Made by the host,
 * which has a decoder, for every trial from the sites; the target only computes addresses.
 */
enum wire_plain_register { WIRE_REG_RIP = 16, WIRE_REG_NONE = 255 }; /* 0..15: rax rcx rdx rbx rsp rbp rsi rdi r8.. */

struct wire_plain_access {
	int32_t displacement;
	uint8_t base, index;   /* enum wire_plain_register */
	uint8_t scale;
	uint8_t repeated;      /* a string operation with rep: rcx times size */
	uint16_t size;         /* 0: not meant by the plan, not told */
	uint16_t flags;        /* enum access_flag */
	uint8_t expects;       /* compare and exchange: writes only if rax is there */
	uint8_t reserved[3];
};

struct wire_plan_plain {
	uint32_t site;         /* index into the plan's sites */
	uint8_t length;        /* of the instruction */
	uint8_t copy_length;
	uint8_t relative_at;   /* where in the copy a rip-relative disp32 is; 0: none */
	uint8_t slot_at;       /* where a disp32 is that must become the thread's slot; 0: not split */
	uint8_t split_size;    /* read, then written as two accesses: bytes of the operand */
	uint8_t access_count;  /* 1 or 2: a read comes before a write */
	uint8_t reserved[2];
	uint8_t original[16];
	uint8_t copy[24];
	struct wire_plain_access access[2];
};

/* Deadlock candidate: who has taken a lock at held_at stops before wait_at. */
struct wire_plan_edge {
	struct { uint32_t module, offset; } held_at, wait_at; /* return addresses */
};

struct wire_plan {
	uint32_t size;        /* sizeof(struct wire_plan) */
	uint32_t flags;       /* enum wire_plan_flag */
	uint64_t seed;
	/* detect */
	uint32_t rule;        /* enum wire_rule */
	uint32_t sample;      /* enum wire_sample */
	uint32_t sample_ppm;  /* pacer's rate in millionths */
	uint32_t run;         /* 0, 1, ... of several united runs */
	/* sched */
	uint32_t policy;      /* enum wire_policy */
	uint32_t fill_policy; /* with PAIR: who makes the free choices (RANDOM, PCT, ...) */
	uint32_t depth;       /* pct: d */
	uint32_t fairness;    /* steps a thread may be postponed while others run; 0: default */
	uint64_t length;      /* pct, surw: expected number of steps; 0: unknown */
	uint64_t step_limit;  /* then the trial is a hang */
	uint64_t wall_ms;     /* watchdog inside the target: wall clock per trial */
	/* counts of what follows */
	uint32_t module_count;
	uint32_t site_count;
	uint32_t edge_count;
	uint32_t choice_count;
	uint32_t plain_count;
	uint32_t reserved;
};

/* Control socket of the fork server: SOCK_SEQPACKET, these messages. */
enum wire_control_kind {
	WIRE_CTL_READY = 1,   /* server: at its stop before main */
	WIRE_CTL_RUN = 2,     /* host: fork a trial with the plan as it is now */
	WIRE_CTL_STARTED = 3, /* server: value = pid of the trial */
	WIRE_CTL_ENDED = 4,   /* server: value = wait status of the trial */
	WIRE_CTL_QUIT = 5,    /* host: exit (closing the socket does the same) */
};

struct wire_control {
	uint32_t kind;
	int32_t value;
};

#endif
