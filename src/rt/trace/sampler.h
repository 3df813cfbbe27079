/*
 * sampler - what the files sample*.c share: a trigger makes a signal come to a thread now and
 * then; the handler (sample.c) takes registers, lockset and clock of that very instant.
 *
 * A trigger decides when, never what: whatever its skid, ip and registers of the interrupted
 * context belong together, and so does the lockset. So RACEZ's stall loop (waiting until the
 * sampled instruction is certain) is not needed.
 */
#ifndef TRACE_SAMPLER_H
#define TRACE_SAMPLER_H

#include "rt/trace/trace.h"

struct trigger {
	enum trace_sampler kind;
	/* Can this machine do it? In the constructor; leaves nothing behind. */
	bool (*probe)(void);
	/* A source of signals for the calling thread, or for the thread tid (0: the caller's). False: refused. */
	bool (*arm)(struct trace_thread *self, uint32_t tid);
	/* In the handler, after a sample: the next one after about ns of CPU time. */
	void (*next)(struct trace_thread *self, uint64_t ns);
	void (*disarm)(struct trace_thread *self);
};
extern const struct trigger trigger_timer, trigger_pmu;

int sampler_signal(void);
/* Mean CPU time between samples of one thread, by budget; random around it. */
uint64_t sampler_period(struct trace_thread *self);
/* The first of a thread. */
uint64_t sampler_first(struct trace_thread *self);

/* What a trigger keeps in part[TRACE_PART_SAMPLE]. */
enum { KEEP_ARMED, KEEP_HANDLE, KEEP_RANDOM, KEEP_STEPS, KEEP_LAST, KEEP_LOW, KEEP_HIGH, KEEP_RETURN };
static inline uint64_t *sampler_keep(struct trace_thread *self)
{
	return self->part[TRACE_PART_SAMPLE];
}

uint64_t sampler_now(void); /* ns */

/* sample.c: one sample of the interrupted context, more flags for it. The caller is inside. */
void sampler_take(struct trace_thread *self, const void *context, uint32_t flags);
/* Of the thread's steps: one was made; the price of one, once it is known. */
void sampler_account_step(struct trace_thread *self);
void sampler_step_price(uint64_t ns);

/* sample_burst.c */
void burst_start(void);
/* What a single step costs here, if one may be made just now. */
void burst_learn_price(void);
void burst_stop(void);
/* The program's disposition of SIGTRAP back; false: not yet, a thread steps. After burst_stop. */
bool burst_restore(void);
/* In the handler, after a sample: step so many instructions from there, if that is safe. */
void burst_begin(struct trace_thread *self, void *context, unsigned steps);
/* Look at the next allocations: what follows a rare call is stepped through for a moment. may: the budget has something left. */
void burst_look_begin(struct trace_thread *self, bool may);
#define BURST_LOOK_STEPS 10 /* our own way out takes about six */
/* Not now: when the thread comes out of the next call of libc that passes through us. */
void burst_later(struct trace_thread *self, unsigned steps);
/* The program's sigaction of SIGTRAP; false: not ours. */
bool burst_sigaction(const struct sigaction *action, struct sigaction *old);

/* restart.c: a system call our signal has cut short goes on as if nothing had been. */
void sampler_restart(void *context);

#endif
