/*
 * models - what functions without a body do: lock, unlock, spawn, join, allocate, touch memory.
 *
 * Data, not code: models/*.model (installed under share/deadheat/models), a project's own with
 * --model FILE. One line a function (docs/lock-models.md is the manual):
 *
 *     lock      pthread_mutex_lock(0)            write
 *     trylock   pthread_mutex_trylock(0)         write  returns 0
 *     unlock    pthread_mutex_unlock(0)
 *     spawn     pthread_create(0) entry 2 arg 3
 *     join      pthread_join(0)
 *     alloc     malloc
 *     free      free(0)
 *     reads     strlen(0)          writes   memset(0)      copies strcpy(0 1)
 *     pure      sin
 *     once      pthread_once(0 1)
 *     asm       "lock; incl $0"    atomic write 0
 *
 * The analysis asks by linker name. An external function that no model names gets the stated
 * conservative default and is listed as an assumption.
 */
#ifndef FIND_SCAN_MODELS_H
#define FIND_SCAN_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "race/lock.h"

enum model_kind {
	MODEL_LOCK, MODEL_TRYLOCK, MODEL_UNLOCK,
	MODEL_SPAWN,        /* starts a thread: entry and arg are formals */
	MODEL_JOIN, MODEL_DETACH, MODEL_EXIT_THREAD,
	MODEL_ALLOC,        /* returns a fresh object */
	MODEL_FREE,
	MODEL_ONCE,         /* calls formal `entry` once in the program's life, ordered before all returns */
	MODEL_CALLS,        /* calls formal `entry` in this thread (qsort, bsearch, atexit) */
	MODEL_HANDLER,      /* formal `entry` runs at any time (signal handlers, interrupts, timers, work queues) */
	MODEL_WAIT,         /* condition wait: releases and takes lock formal again */
	MODEL_SIGNAL,
	MODEL_BARRIER,
	MODEL_POST, MODEL_TAKE, /* semaphore */
	MODEL_THREAD_LOCAL, /* returns an object of this thread alone (pthread_getspecific, __errno_location) */
	MODEL_PURE,         /* touches no shared memory; returns no pointer into it */
	MODEL_EFFECT,       /* reads and writes what the formals' masks say, nothing else */
	MODEL_NORETURN,
	MODEL_ATOMIC,       /* an atomic access to *formal: kernel atomic_t, __atomic library calls */
	MODEL_FENCE,
	MODEL_INIT,         /* makes a lock: writes it, before anyone can see it */
	MODEL_KIND_COUNT
};

struct model {
	const char *name;
	enum model_kind kind;
	enum lock_mode mode;
	int object;          /* formal: the lock, thread id, barrier, ... ; -1 none, -2 the return value, -3 one fixed lock (kernel: rcu, BKL, irq) */
	const char *fixed;   /* name of that one lock */
	bool by_value;       /* the formal is the object itself (a thread id), not its address */
	int entry, argument; /* formals; -1 none */
	int64_t success;     /* trylock: the result that means "taken" ... */
	bool success_nonzero;/* ... or any but 0 */
	bool recursive;
	uint32_t reads, writes; /* bit per formal: what it points to is read / written */
	int returns;         /* formal that the result points into; -1 unknown or none */
	const char *where;   /* "models/pthread.model:12" */
};

struct models;
/* The built-in files and then `files` (later lines win). NULL with one line: file:line and reason. */
struct models *models_load(const char *const *files, size_t count);
void models_free(struct models *models);
/* NULL if there is none. */
const struct model *models_find(const struct models *models, const char *function);
/* By asm template, white space normalised; NULL if there is none. */
const struct model *models_find_asm(const struct models *models, const char *template, const char *constraints);
/* Fixed words for `doctor` and --summary. */
const char *model_kind_name(enum model_kind kind);

#endif
