/*
 * internal - the files of rt/trap: inside the target, deadheat trap (CRSampler, DataCollider).
 *
 *   trap.c    the part of rt/trace; SIGTRAP: whose is it?
 *   site.c    an address -> its site in the host's tables; the operand's address; restoring
 *   watch.c   one watchpoint a process: armed, tripped, dropped; stalling
 *
 * I1  The text is restored before anything else, by whoever comes, as often as they come: writing
 *     the original byte twice harms nobody, and the instruction is executed where it stands.
 * I2  Handlers block every signal but SIGTRAP and never wait for a lock: one watch, taken by
 *     compare and swap or not at all.
 * I3  A find is only told when the watch was really ours at that moment (generation) and the
 *     other one a different thread.
 */
#ifndef RT_TRAP_INTERNAL_H
#define RT_TRAP_INTERNAL_H

#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "rt/trace/trace.h"
#include "wire/trap.h"

extern struct trap_plan *trap_plan;

static inline void trap_count(enum trap_counter counter, uint64_t n)
{
	__atomic_fetch_add(&trap_plan->counters[counter], n, __ATOMIC_RELAXED);
}

static inline uint64_t trap_now(void)
{
	struct timespec t;

	rt_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- site.c ------------------------------------------------------------------------------ */

struct trap_place {
	const struct trap_site *site;
	uint32_t table, index;
	uintptr_t base;
};
bool site_find(uintptr_t address, struct trap_place *place);
uintptr_t site_operand(const struct trap_place *place, const ucontext_t *context);
#define FD_LEAST 900 /* out of the way of programs that count on low numbers */
void site_open(void);
void site_close(void);
/* False: the kernel does not let us write our own text. */
bool site_restore(const struct trap_place *place);
/* Every int3 of ours in every module. The host is kept from writing meanwhile. */
void site_restore_all(void);

/* ---- watch.c ------------------------------------------------------------------------------- */

void watch_open(void);   /* before there are threads; late: for each of them */
void watch_close(void);
/* Nobody watches any more, for good (seccomp, detach). */
void watch_stop(void);
/* In t1, which is about to make the access; enum trap_hit_flag of what was done. */
uint32_t watch_access(struct trace_thread *self, const struct trap_place *place, const ucontext_t *context);
/* A watchpoint was tripped by the calling thread. */
void watch_tripped(struct trace_thread *self, uint64_t generation, uintptr_t address, const ucontext_t *context);

#endif
