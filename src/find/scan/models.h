/*
 * models - what functions without a body do: lock, unlock, spawn, join, allocate, touch memory.
 *
 * Data, not code: the .model files of models/ (installed under share/deadheat/models), a project's own with
 * --model FILE. One line says one thing of one or more functions (docs/lock-models.md is the manual):
 *
 *     lock      pthread_mutex_lock(0)            write
 *     trylock   pthread_mutex_trylock(0)         write  returns 0
 *     unlock    pthread_mutex_unlock(0)
 *     spawn     pthread_create(0) entry 2 arg 3
 *     join      pthread_join(0)                  value  writes 1
 *     wait      pthread_cond_wait(0) lock 1
 *     alloc     malloc calloc
 *     reads     strlen(0)          writes   memset(0)      copies strcpy(0 1)
 *     pure      sin cos
 *     once      pthread_once(0) entry 1
 *     asm       "*lock; incl $0"   atomic
 *
 * The analysis asks by linker name. An external function that no model names gets the stated
 * conservative default and is listed as an assumption.
 *
 * I1  A model names everything the function does with memory of the program: masks hold for every
 *     kind (pthread_create is a SPAWN with writes 0). What is not named is not touched and not kept.
 * I2  What formals point to is meant one level deep: the object the formal points into, from there
 *     on `length` bytes or to its end; not what pointers in it point to, unless it `reaches` that.
 * I3  A line replaces what was said of the function before, but for lines that start with "+",
 *     which add an effect (next): they happen in that order.
 */
#ifndef FIND_SCAN_MODELS_H
#define FIND_SCAN_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/scan/ir.h"
#include "race/lock.h"

/* X(ENUM, "word of the file") */
#define MODEL_KINDS(X) \
	X(LOCK, "lock") X(TRYLOCK, "trylock") X(UNLOCK, "unlock") \
	X(SPAWN, "spawn")             /* starts a thread: entry and arg are formals */ \
	X(JOIN, "join") X(DETACH, "detach") X(EXIT_THREAD, "exit-thread") \
	X(ALLOC, "alloc")             /* returns a fresh object, or NULL */ \
	X(FREE, "free")               /* the object is gone: a write to all of it. With copies: realloc */ \
	X(ONCE, "once")               /* calls formal `entry` once in the life of *object, ordered before all returns */ \
	X(CALLS, "calls")             /* calls formal `entry` in this thread, any number of times, before it returns (qsort); its formals are `passes` */ \
	X(HANDLER, "handler")         /* formal `entry` runs at any time from now on (signal handlers, interrupts, timers, work) */ \
	X(WAIT, "wait")               /* condition wait: releases and takes formal `lock` again; may return for no reason */ \
	X(SIGNAL, "signal") \
	X(BARRIER, "barrier") \
	X(POST, "post") X(TAKE, "take") /* semaphore, completion */ \
	X(THREAD_LOCAL, "own")        /* returns an object of this thread alone (__errno_location) */ \
	X(PURE, "pure")               /* touches no memory of the program; returns no pointer into it */ \
	X(EFFECT, "effect")           /* reads and writes what the masks say, nothing else */ \
	X(NORETURN, "noreturn") \
	X(ATOMIC, "atomic")           /* an atomic access to *object: kernel atomic_t, __atomic library calls */ \
	X(FENCE, "fence") \
	X(INIT, "init")               /* makes (or unmakes) a lock, barrier, ...: a write to it, nobody may use it meanwhile */ \
	X(AT_EXIT, "at-exit")         /* formal `entry` runs in the main thread when it exits */ \
	X(GUARD, "guard")             /* C++ static: not 0 means: held, initialise; 0 means: initialised, ordered after it */ \
	X(GUARD_DONE, "guard-done") \
	X(SET_OWN, "set-own")         /* pthread_setspecific: value (formal `arg`) goes to this thread's slot `object` */ \
	X(GET_OWN, "get-own")         /* pthread_getspecific: returns what this thread put into slot `object`, or NULL */ \
	X(RETURNS_TWICE, "twice")     /* setjmp: comes back again by longjmp, from anywhere below: what was held may not be any more */

enum model_kind {
#define X(name, word) MODEL_##name,
	MODEL_KINDS(X)
#undef X
	MODEL_KIND_COUNT
};

/* Values of `object` that are no formals. */
enum { MODEL_NO_OBJECT = -1, MODEL_RESULT = -2, MODEL_FIXED = -3 };

struct model {
	const char *name;    /* linker name; asm: the pattern */
	enum model_kind kind;
	enum lock_mode mode; /* UNLOCK: of no matter, whatever is held is let go */
	int object;          /* formal: the lock, thread id, barrier, ... ; or MODEL_*: none, the return value, one fixed lock (kernel: rcu) */
	const char *fixed;   /* name of that one lock; or of the hidden static object */
	bool by_value;       /* the formal is the object itself (a thread id, a key), not its address */
	int entry, argument; /* formals; -1 none. argument is what the entry's formal 0 becomes */
	int argument_as;     /* ... or formal K, with `as K` (interrupt handlers get their cookie second) */
	bool self;           /* field: the function gets the address of the struct it is stored in (work, timers) */
	bool entry_indirect; /* the entry is *(void **)(formal `entry` + entry_offset): sigaction */
	int64_t entry_offset;
	int entry_method;    /* >= 0: formal `entry` points to a pointer to an object of C++: slot of its vtable; -1 */
	int lock;            /* WAIT: formal of the lock; -1 */
	int64_t success;     /* trylock, wait, take: the result that means "taken" ... */
	bool success_nonzero;/* ... or any but 0 */
	bool can_fail;       /* `returns` was said: with another result it did not happen */
	bool recursive;
	bool many;           /* SPAWN: not one thread but any number */
	uint32_t reads, writes; /* bit per formal (bit 31: that one and all after it): what it points to is read / written */
	uint32_t reaches;    /* bit per formal: what pointers in it lead to is read and written, and they may move on within their objects */
	uint32_t passes;     /* bit per formal: CALLS: what any formal of the entry may be */
	uint32_t keeps;      /* bit per formal: the pointer is remembered where other threads may find it */
	int returns;         /* formal that the result points into; -1 none or unknown */
	bool returns_static; /* the result points to the hidden object `fixed`, which the call writes, unsynchronised (localtime) */
	bool touches_static; /* the call reads and writes hidden object `fixed`, unsynchronised (strtok) */
	int copy_to, copy_from; /* pointers within *copy_from go to *copy_to (-2: the returned object); -1 none */
	uint32_t bytes;      /* ATOMIC: how many; 0: 8 */
	int length;          /* formal that says how many bytes; -1 unknown */
	enum ir_order order; /* ATOMIC, FENCE: IR_ORDER_SEQ_CST unless said */
	const char *where;   /* "models/pthread.model:12" */
	const struct model *next; /* a further effect of the same call, after this one; NULL */
};

struct models;
/* The built-in files and then `files` (later lines win). NULL with one line: file:line and reason. */
struct models *models_load(const char *const *files, size_t count);
/* Only these, no built-in ones: tests. */
struct models *models_load_only(const char *const *files, size_t count);
void models_free(struct models *models);
/* NULL if there is none. */
const struct model *models_find(const struct models *models, const char *function);
/*
 * By asm template, white space normalised; NULL if there is none. Formals are the extras of IR_ASM
 * (indirect outputs first); object MODEL_NO_OBJECT of an ATOMIC means every pointer operand.
 */
const struct model *models_find_asm(const struct models *models, const char *template, const char *constraints);
/*
 * Functions stored in this field of this struct ("struct work_struct", "func"; without "struct" too)
 * are entries: SPAWN or HANDLER; argument 0 as the call gives it. NULL if there is none.
 */
const struct model *models_find_field(const struct models *models, const char *type, const char *field);
/* Fixed words for `doctor` and --summary. */
const char *model_kind_name(enum model_kind kind);
size_t models_count(const struct models *models);

#endif
