/*
 * schedule - the decision log of a trial: on the wire, in a plan and in a file.
 *
 * A step is one scheduling point at which a thread was given the turn to perform
 * its operation, or one free choice made on the way (which waiter a signal wakes,
 * how a race is resolved, whether a timed wait times out). A replay needs only
 * the choices; the rest is there to notice the first step that differs and to
 * draw the interleaving.
 *
 * Running hash, per step in order:  h = (h ^ word) * 0x100000001b3, over the 64-bit
 * words (thread << 32 | kind << 16 | op), (object << 32 | chosen). Objects and
 * threads are ordinals (of first use, of creation path), never addresses: the hash
 * is the same under any ASLR.
 *
 * File (little endian): struct schedule_file, then step_count wire_step.
 */
#ifndef WIRE_SCHEDULE_H
#define WIRE_SCHEDULE_H

#include <stdint.h>

#include "wire/wire.h"

#define SCHEDULE_MAGIC 0x3144454843534844ull /* "DHSCHED1" */
#define SCHEDULE_VERSION 1u
#define SCHEDULE_HASH_START 0xcbf29ce484222325ull

enum wire_step_kind {
	STEP_TURN = 1,     /* thread was picked; chosen = its ordinal. Before a pair access it went on
	                      only if its STEP_ACCESS follows; else it was postponed there */
	STEP_CHOICE = 2,   /* a free choice; chosen = value, bound in op's place: see op */
	STEP_ACCESS = 3,   /* a pair access is performed by thread now */
	STEP_HIT = 4,      /* both stand: thread = the newcomer, chosen = the postponed one */
	STEP_RETURN = 5,   /* a blocking call of thread came back from outside */
	STEP_WATCHDOG = 6, /* the wall clock acted */
	STEP_SIGNAL = 7,   /* a signal was delivered to thread; chosen = number */
};

/* What the thread is about to do: X(symbol, word for people). Append only. */
#define WIRE_OPS(X) \
	X(OP_NONE, "start") X(OP_ACCESS, "access") X(OP_ATOMIC, "atomic") X(OP_VOLATILE, "volatile access") \
	X(OP_FENCE, "fence") X(OP_LOCK, "lock") X(OP_TRYLOCK, "trylock") X(OP_TIMEDLOCK, "timed lock") \
	X(OP_UNLOCK, "unlock") X(OP_RDLOCK, "read lock") X(OP_WRLOCK, "write lock") X(OP_RWUNLOCK, "rw unlock") \
	X(OP_COND_WAIT, "wait") X(OP_COND_TIMEDWAIT, "timed wait") X(OP_COND_SIGNAL, "signal") \
	X(OP_COND_BROADCAST, "broadcast") X(OP_BARRIER, "barrier") X(OP_SEM_WAIT, "sem_wait") \
	X(OP_SEM_POST, "sem_post") X(OP_SPIN_LOCK, "spin lock") X(OP_SPIN_UNLOCK, "spin unlock") \
	X(OP_ONCE, "once") X(OP_CREATE, "create") X(OP_JOIN, "join") X(OP_EXIT, "thread exit") \
	X(OP_YIELD, "yield") X(OP_SLEEP, "sleep") X(OP_FUTEX, "futex") X(OP_IO, "blocking call") \
	X(OP_FORK, "fork") X(OP_SIGNAL, "signal handler") X(OP_CANCEL, "cancel") X(OP_WAKE, "which waiter wakes") \
	X(OP_RESOLVE, "which access goes first") X(OP_TIMEOUT, "does it time out") \
	X(OP_RELEASE, "which postponed thread is let go") X(OP_NONDET, "nondeterministic value") \
	X(OP_SPURIOUS, "spurious wake-up") X(OP_DESTROY, "destroy") X(OP_FREE, "free") X(OP_DETACH, "detach")

enum wire_op {
#define X(symbol, word) symbol,
	WIRE_OPS(X)
#undef X
	OP_COUNT
};

struct wire_step {
	uint32_t thread; /* ordinal: order of creation in this schedule */
	uint16_t kind;   /* enum wire_step_kind */
	uint16_t op;     /* enum wire_op */
	uint32_t object; /* ordinal of the object by first use; 0 none */
	uint32_t chosen;
	struct wire_pc pc;  /* where the thread stands; not part of the hash */
	uint64_t hash;   /* running hash after this step */
};

/* One decision to follow in a replay: the steps with kind TURN, CHOICE, RETURN. */
struct wire_choice {
	uint32_t thread;
	uint16_t kind;
	uint16_t op;
	uint32_t object;
	uint32_t chosen;
	uint64_t hash; /* after the step, for --verify; 0: do not compare */
};

struct schedule_file {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	char build_id[48];      /* of the program */
	char candidate[24];     /* id */
	uint64_t seed;
	uint32_t policy;        /* enum wire_policy */
	uint32_t flags;         /* enum wire_plan_flag of the trial */
	uint64_t step_count;
	uint64_t final_hash;
	uint32_t module_count;  /* wire_plan_module records follow the steps: pc.module */
	uint32_t site_count;    /* then wire_plan_site: the pair the trial was directed at */
	char outcome[64];
	uint32_t edge_count;    /* then wire_plan_edge: or the lock cycle */
	uint32_t reserved;
};

static inline uint64_t schedule_hash(uint64_t h, const struct wire_step *s)
{
	h = (h ^ ((uint64_t)s->thread << 32 | (uint64_t)s->kind << 16 | s->op)) * 0x100000001b3ull;
	return (h ^ ((uint64_t)s->object << 32 | s->chosen)) * 0x100000001b3ull;
}

#endif
