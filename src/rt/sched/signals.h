/*
 * signals - what signal.c (arrival, handlers, masks), kill.c (sending) and sigwait.c
 * (waiting for them) share.
 */
#ifndef SCHED_SIGNALS_H
#define SCHED_SIGNALS_H

#include <signal.h>

#include "rt/sched/internal.h"

/* Make sig pending for a thread; take it off again (to run its handler or return it). */
void signal_add(struct sched_thread *thread, const siginfo_t *info);
void signal_take(struct sched_thread *thread, int sig, siginfo_t *info);
/* Really, now, to the calling thread; returns after its handler. */
void signal_send_self(struct sched_thread *self, siginfo_t *info);
/* Positive errno. A scheduling point, then the signal is pending (or has run, for ourselves). */
int signal_thread(struct sched_thread *target, siginfo_t *info, uintptr_t pc);
int signal_process(siginfo_t *info, uintptr_t pc);
/* Another mask for a while: handlers of what it lets in run at once. */
void signal_swap_mask(struct sched_thread *self, const sigset_t *set, uint64_t *old);

#endif
