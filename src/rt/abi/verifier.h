/*
 * verifier - what the verification conventions need of a runtime: weak in abi/verifier.c
 * (threads run freely), stronger in sched/verifier.c (recorded choices, no switches).
 */
#ifndef ABI_VERIFIER_H
#define ABI_VERIFIER_H

#include "rt/rt.h"

/* 32 bits of nondeterminism. */
uint32_t verifier_word(void);
/* Into and out of an atomic section; they nest. */
void verifier_atomic_begin(uintptr_t pc);
void verifier_atomic_end(uintptr_t pc);
/* The run does not count. */
void verifier_assume_failed(void) __attribute__((noreturn));
/* The error was reached; text for people. */
void verifier_error(const char *text);

#endif
