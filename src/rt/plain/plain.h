/*
 * plain - sites of programs that were not instrumented: an int3 stands in the instruction's
 * place, the trap leads to a thunk, and the thunk tells the access as a compiler's call would.
 *
 *   program text                      thunk (near the module)
 *   X:   int3 ............ SIGTRAP -> save all, call plain_hook: rt_turn_access for each access,
 *                                     restore all, run the copy of the instruction,
 *   X+L: next  <--------------------- jump back
 *
 * I1  The handler only changes the program counter: whatever may block is done in the thunk, in
 *     the thread's ordinary context, not in a signal handler.
 * I2  A site's pc is X + 1: pc - 1 is the place, as it is for return addresses.
 * I3  Text is only changed while one thread runs: before main, or with the others parked.
 * I4  A process forked by the program restores the text; until then its traps still work.
 */
#ifndef RT_PLAIN_PLAIN_H
#define RT_PLAIN_PLAIN_H

#include <signal.h>

#include "rt/rt.h"

/* The plan's sites are the patched ones now, all others are restored. Before each trial. */
void plain_start(void);
/* A library has come or gone. */
void plain_modules_changed(void);
/* sched/pair.c: look the plan's sites up again. */
void pair_modules_changed(void);
/* In a child of the program: nothing stays patched. */
void plain_restore_all(void);
/* Is the signal that of our traps (SIGTRAP; SIGILL under gdb)? Then the program's wish is kept, and its mask never has it. */
bool plain_owns(int sig);
/* sigaction of that signal. */
void plain_sigaction(const struct sigaction *action, struct sigaction *old);
/* set without it, in *room; set itself if there are no traps. */
const sigset_t *plain_mask(const sigset_t *set, sigset_t *room);

#endif
