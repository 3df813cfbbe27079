/*
 * rt/trace - inside an unmodified program, in production: who holds which lock at this very
 * instruction, and what orders threads. Preloaded; nothing is recompiled.
 *
 *     sync objects, threads, allocator of libc      (mutex.c cond.c rwlock.c ... alloc.c thread.c)
 *                      |  trace_acquire, trace_release, trace_send, trace_receive
 *        struct trace_thread: clock, lockset        read at one instant by signal handlers of
 *                      |                            the PARTS: sample (sample*.c), trap (trap*.c)
 *                  log.c: records into chunks of the shared mapping (wire/trace.h)
 *
 * It is not one of the runtimes of rt.h: no engine hears accesses, and a lock costs two
 * stores, not a call. It shares raw.c, handler.c, lock.c, memory.c, string.c and real.c with them (the
 * latter compiled with its own table, interposed.def).
 *
 * I1  Between trace_enter and trace_leave the thread's state may be in motion: a signal handler
 *     that finds `inside` set looks at nothing, counts, and returns.
 * I2  trace_acquire comes after the lock is ours, trace_release before it is given up: what is
 *     listed is really held. Between, the thread is in libc or here, where nobody samples.
 * I3  trace_send before the operation that lets the other go on, trace_receive after the one
 *     that waited.
 * I4  Without a mapping (trace_header NULL) every function is the real one.
 * I5  A struct trace_thread is never unmapped and its clock never goes back; after the thread's
 *     end the slot serves another thread under another number. So who remembers
 *     (thread, number, clock) may compare at any time, from any thread or handler.
 * I6  No malloc, no stdio, nothing of libc beyond libc-allowed; errno is left as it was.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <signal.h>

#include "rt/rt.h"
#include "wire/trace.h"

/* Deep nesting beyond this is rare; what does not fit is counted and marks samples (TRACE_LOCKS_LOST). */
#define TRACE_LOCKS 16
#define TRACE_NOBODY UINT32_MAX

struct trace_held {
	uintptr_t lock;
	uint32_t mode; /* enum lock_mode */
	uint32_t unused;
};

enum trace_part_index { TRACE_PART_SAMPLE, TRACE_PART_TRAP, TRACE_PARTS };

struct trace_thread {
	uint32_t inside;        /* > 0: I1. Only its own thread writes it */
	uint32_t number;        /* order of creation in this process; 0 = the first */
	uint64_t clock;         /* sync operations so far; others may read it (atomic, relaxed) */
	uint32_t lock_count;
	uint32_t locks_lost;    /* held but not listed */
	uint32_t resume;        /* steps to make from the next way out of a wrapper; 0: none (sample_burst.c) */
	uint32_t look;          /* allocations to look at, each call by how rare it is; 0: none */
	int64_t credit;         /* ns the budget has left for single steps; below 0: owed for looks at allocations */
	struct trace_held held[TRACE_LOCKS];
	int ignoring;           /* deadheat_ignore_begin */
	uint32_t tid;
	uintptr_t stack_low, stack_high; /* about */
	/* log.c */
	struct trace_chunk *chunk;
	uint32_t chunk_index;
	uint32_t chunk_sequence;
	uint64_t lost;
	/* thread.c */
	uint32_t parent;
	bool ended;
	uintptr_t created_at;
	size_t stack_size;
	void *start;
	void *argument;
	struct trace_thread *next; /* all slots, for good */
	struct trace_thread *next_free;
	/* once.c */
	void *once_control;
	void (*once_routine)(void);
	uintptr_t once_seen[16];
	/* alloc.c: blocks told since the last sample; NULL: none yet */
	struct trace_told *told;
	/* sample_burst.c: calls of the allocator, how often each was looked at; NULL: none yet */
	struct burst_call *calls;
	/* what a part keeps per thread: sample.c, trap */
	uint64_t part[TRACE_PARTS][8];
	uint64_t apart[8];         /* two threads' slots share no cache line */
};

extern struct trace_header *trace_header RT_HIDDEN; /* NULL: nobody asked, run as if we were not there */
extern uint32_t trace_process;            /* our number in its table */
extern RT_TLS struct trace_thread *trace_tls RT_HIDDEN;

/* Makes the slot of a thread nobody announced (raw clone, first call before our constructor). */
struct trace_thread *trace_self_slow(void);
static inline struct trace_thread *trace_self(void)
{
	struct trace_thread *self = trace_tls;

	return likely(self != NULL) ? self : trace_self_slow();
}

/* All slots, newest first: walk by ->next; skip ->ended ones. No lock needed. */
struct trace_thread *trace_threads(void);
/* The slot of the calling thread if it has one; for signal handlers: NULL rather than make one. */
static inline struct trace_thread *trace_self_quick(void)
{
	return trace_tls;
}

static inline bool trace_enter(struct trace_thread *self)
{
	if (unlikely(self->inside))
		return false;
	self->inside = 1;
	__asm__ volatile("" ::: "memory");
	return true;
}

static inline void trace_leave(struct trace_thread *self)
{
	__asm__ volatile("" ::: "memory");
	self->inside = 0;
}

static inline void trace_tick(struct trace_thread *self)
{
	__atomic_store_n(&self->clock, self->clock + 1, __ATOMIC_RELAXED);
}

/*
 * sample_burst.c: a burst of single steps that was not possible in libc begins when the wrapper returns. True: the
 * flag is to be set, as near to the return as can be: each instruction up to there costs a trap.
 */
bool burst_resume(struct trace_thread *self);
#define TRACE_STEP_FROM_HERE() \
	__asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n orl $0x100, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp" ::: "memory", "cc")
static inline void trace_way_out(struct trace_thread *self)
{
	if (unlikely(self->resume) && burst_resume(self))
		TRACE_STEP_FROM_HERE();
}
/* alloc.c: look or resume has changed. On the thread itself. */
void trace_told_refresh(struct trace_thread *self);
/* The thread is another's from here on: nothing of it is told. */
void trace_told_forget(void);
/* The host is another: does it want to hear of allocations? */
void trace_alloc_follow(void);
/* Out of an allocation made at pc: is it one to look at? */
void burst_look(struct trace_thread *self, uintptr_t pc);

/* ---- locks (lockset.c) ------------------------------------------------------------ */

void trace_release_slow(struct trace_thread *self, const void *lock, enum lock_mode mode);
void trace_acquire_lost(struct trace_thread *self);

/* A lock taken again by its holder is listed again: as many releases as acquires. */
static inline void trace_acquire(const void *lock, enum lock_mode mode)
{
	struct trace_thread *self = trace_self();
	uint32_t n = self->lock_count;

	trace_tick(self);
	if (unlikely(n >= TRACE_LOCKS)) {
		trace_acquire_lost(self);
		return;
	}
	self->held[n].lock = (uintptr_t)lock;
	self->held[n].mode = mode;
	__asm__ volatile("" ::: "memory"); /* a handler sees the entry whole or not at all */
	self->lock_count = n + 1;
	trace_way_out(self);
}

static inline void trace_release(const void *lock, enum lock_mode mode)
{
	struct trace_thread *self = trace_self();
	uint32_t n = self->lock_count;

	trace_tick(self);
	if (likely(n && self->held[n - 1].lock == (uintptr_t)lock))
		self->lock_count = n - 1;
	else
		trace_release_slow(self, lock, mode);
}

/* ---- order (log.c) ------------------------------------------------------------------ */

void trace_send(const void *object);
void trace_receive(const void *object);
void trace_destroy(const void *object);

/* ---- records (log.c) ------------------------------------------------------------------ */

/* The next number of the global order. */
uint64_t trace_order(void);
/*
 * Room for a record of size bytes (multiple of 8, at most TRACE_CHUNK_ROOM), its type, size
 * and order set; NULL and counted when there is none. Then fill in, then commit. Only
 * between trace_enter and trace_leave, or in a handler that found inside clear and set it.
 */
void *trace_record(struct trace_thread *self, enum trace_record_type type, size_t size, uint64_t order);
void trace_commit(struct trace_thread *self, void *record);
void trace_note(struct trace_thread *self, const char *text);
/* Hand the thread's chunk over now: end of a thread, exec. */
void trace_flush(struct trace_thread *self);
/* In the child: its threads' chunks are the parent's. */
void trace_log_fork_child(struct trace_thread *self);
void trace_count_add(enum trace_counter counter, uint64_t n);
static inline void trace_count(enum trace_counter counter)
{
	trace_count_add(counter, 1);
}

/* ---- modules (module.c) ------------------------------------------------------------------ */

/*
 * A loaded object. Records are never freed. Files that want to know the text of modules
 * (trap) walk trace_modules(); on_modules tells them of changes.
 */
struct trace_module {
	struct trace_module *next; /* older */
	uintptr_t base, low, high;
	struct trace_segment {
		uintptr_t low, high;
		uint32_t flags; /* PF_* */
	} segment[8];
	uint32_t segment_count;
	bool loaded;
	bool own;               /* us */
	uintptr_t headers;
	uintptr_t eh_frame_hdr; /* address of PT_GNU_EH_FRAME; 0: none */
	uint64_t seen;
	uint8_t build_id[20];
	uint32_t build_id_size;
	const char *path;
};
struct trace_module *trace_modules(void);
const struct trace_module *trace_module_of(uintptr_t address);
/* Re-read and log what came and went. Not in a signal handler. */
void trace_modules_refresh(struct trace_thread *self);
/* The same, if dlopen was called since. */
static inline void trace_modules_check(struct trace_thread *self)
{
	extern uint32_t trace_modules_stale;

	if (unlikely(trace_modules_stale))
		trace_modules_refresh(self);
}

/* ---- parts: sample and trap ------------------------------------------------------------------- */

/*
 * What a part of the library wants to hear; NULL: nothing. All but the signal handlers run
 * with `inside` set. start runs in the constructor, once per process, before any thread of
 * the program exists (after the attach with --pid: threads may exist, thread_start is then
 * called for none of them); fork_child in the child's only thread.
 */
struct trace_part {
	uint32_t mode;                                  /* enum trace_mode bit that wants it */
	void (*start)(struct trace_thread *self);
	void (*end)(struct trace_thread *self);         /* exit handlers have run, or detach */
	void (*thread_start)(struct trace_thread *self);
	void (*thread_end)(struct trace_thread *self);
	void (*fork_before)(struct trace_thread *self);
	void (*fork_parent)(struct trace_thread *self);
	void (*fork_child)(struct trace_thread *self);
	void (*modules)(struct trace_thread *self);     /* something was loaded or is gone */
	void (*unload)(struct trace_thread *self);      /* dlclose is about to be called: nothing may be left patched in what it might unload */
	bool (*detach)(struct trace_thread *self);      /* undo everything, in all threads: the host leaves (--pid); false: not all yet, again later */
	void (*quiet)(struct trace_thread *self);       /* no system calls from here on: the program goes under seccomp */
	/*
	 * The program wants to change or see the disposition of a signal the part owns: true,
	 * *result and errno by the part's own doing; false: not mine. See signal.c.
	 */
	bool (*sigaction)(int signal, const struct sigaction *action, struct sigaction *old, int *result);
};
/* We came into a process that ran already (--pid). */
extern bool trace_late;
/* The program is sandboxed: make no system call it does not make itself (sandbox.c). */
extern bool trace_quiet;
/* parts.c names them. */
extern const struct trace_part *const trace_parts[TRACE_PARTS];
#define TRACE_EACH_PART(hook, ...) \
	do \
		for (int part_ = 0; part_ < TRACE_PARTS; part_++) \
			if (trace_parts[part_] && (trace_parts[part_]->mode & trace_header->mode) && \
			    trace_parts[part_]->hook) \
				trace_parts[part_]->hook(__VA_ARGS__); \
	while (0)

/* A signal a part needs in every thread: the program cannot block it from now on (signal.c). */
void trace_keep_signal(int signal);

static inline bool trace_wants(enum trace_mode mode)
{
	return trace_header && (trace_header->mode & mode);
}

/* Look now? --delay, --duration, deadheat_stop. Sync is followed all the time. */
static inline bool trace_active(void)
{
	return __atomic_load_n(&trace_header->active, __ATOMIC_RELAXED);
}

/* ---- thread.c, init.c among themselves ----------------------------------------------------------- */

/* init.c: the constructor's work in a process that runs already. */
bool trace_begin_late(const char *path);
struct trace_thread *trace_thread_new(uintptr_t created_at);
void trace_thread_bind(struct trace_thread *thread);
void trace_thread_drop(struct trace_thread *thread); /* was not created after all */
void trace_thread_announce(struct trace_thread *thread);
void trace_threads_fork_child(struct trace_thread *self);
void trace_threads_fork(bool before);
void trace_modules_fork(bool before);
void trace_modules_again(struct trace_thread *self);
void trace_modules_forget(void);
void trace_arm_end(struct trace_thread *self);

#endif
