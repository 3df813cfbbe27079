/*
 * sched - one thread at a time: the face the sync-object models and policies see.
 *
 * The model of every operation is the paper's: a thread *announces* its next statement
 * and gives up the turn; it is Enabled when its `ready` predicate holds; when the
 * scheduler picks it, it *executes*: changes the model without any switch in between.
 * So nobody ever wakes anybody: who is enabled is computed from the state.
 *
 *     int pthread_mutex_lock(m):   o = sched_object(m, OBJECT_MUTEX);
 *                                  sched_step(OP_LOCK, o, pc, mutex_is_free, o);
 *                                  o->mutex.owner = self;            (we have the turn)
 *
 * I1  Exactly one thread has the turn; all model state is touched only by it: no locks.
 * I2  A thread parks only in sched_step and sched_outside, never inside libc.
 * I3  Everything that decides who runs next goes through sched_choose, which records it;
 *     a replay answers sched_choose from the record.
 * I4  Ordinals, never addresses, enter a decision or the hash.
 */
#ifndef SCHED_INTERNAL_H
#define SCHED_INTERNAL_H

#include <pthread.h>
#include <time.h>

#include <time.h>

#include "rt/rt.h"

struct sched_thread;
struct sched_world;
struct sched_object;

/* Would this thread be able to execute its announced operation now? */
typedef bool sched_ready(struct sched_thread *thread, void *argument);

enum sched_object_kind {
	OBJECT_PLAIN, OBJECT_MUTEX, OBJECT_RWLOCK, OBJECT_COND, OBJECT_BARRIER, OBJECT_SEM,
	OBJECT_SPIN, OBJECT_ONCE, OBJECT_FUTEX, OBJECT_THREAD, OBJECT_FD,
};

/*
 * State of one sync object, kept in our own table by address; the program's bytes are
 * read at most once (static initialisers, pthread_*_init attributes) and never written.
 * Each model casts state[] to its own struct (static_assert the size).
 */
struct sched_object {
	const void *address;
	uint32_t ordinal;            /* by first use, from 1 */
	uint32_t kind;
	struct sched_object *next;   /* hash chain */
	uintptr_t first_pc;          /* where it was first taken, for reports */
	struct sched_thread *stack_of; /* it lies on this thread's stack; stale when that has ended */
	uint64_t state[16];          /* not there for OBJECT_PLAIN */
};

/* How a thread announces. deadline_ns: virtual time, 0 = none. */
struct sched_thread {
	struct rt_thread *rt;
	uint32_t ordinal;            /* order of creation within the schedule */
	uint32_t baton;              /* futex word: 1 = your turn */
	enum wire_op op;             /* what it is about to do */
	struct sched_object *object;
	uintptr_t pc;
	const void *frame;           /* frame address at the point, for stacks */
	sched_ready *ready;          /* NULL = always */
	void *argument;
	uint64_t deadline_ns;        /* timed operation: it may also return by timing out */
	bool timed_out;              /* result of the last step */
	uint32_t naps;               /* sleeps, and timed waits that ran out, so far (sched_is_napper) */
	bool postponed;              /* the paper's set */
	bool let_go;                 /* its meeting is over: it executes when picked (WIRE_LET_GO) */
	bool outside;                /* in a blocking call; not enabled until it is back */
	bool quiet;                  /* set by the model after a step that changed nothing (a try-lock
	                                that failed, a poll that found nothing): counts as spinning */
	bool alive;
	uint32_t atomic;             /* depth of __VERIFIER_atomic_begin: no switch, no postponing */
	/* the announced access, op == OP_ACCESS (or a range, free) in the pair */
	uintptr_t address;
	size_t size;
	unsigned flags;
	int side;                    /* enum wire_side */
	uint64_t steps;              /* executed so far */
	uint64_t postponed_since;    /* step number */
	uint32_t overdue;            /* times it was let go because the others had no use for its waiting */
	uint64_t priority;           /* pct, pos, surw */
	/* held locks, for reports: newest last */
	struct { struct sched_object *object; enum lock_mode mode; uintptr_t pc; } *held;
	uint32_t held_count, held_size;
	uint32_t cancel_state, cancel_type, cancel_pending;
	void *model;                 /* scratch of the model it waits in */
	/* turn.c's own: the last points passed, to notice spinning */
	uint64_t passed[8];
	uint32_t passed_next;
	uint32_t streak;             /* turns in a row, nobody else ran */
	uint32_t returned;           /* outside: the call has come back (futex word) */
	uint32_t taken;              /* rescue.c: it slept with the turn, which was taken from it */
	bool joined, detached;       /* thread.c */
	struct sched_thread *joining;
	/* signal.c, wait.c; all start as zero */
	uint64_t signals_pending;    /* bit n-1: signal n waits for this thread's next point */
	uint64_t signal_mask;        /* what it blocks, as of step signal_mask_step - 1 */
	uint64_t signal_mask_step;
	uint32_t signals_taken;      /* handlers run so far */
	bool restart;                /* ... and the last ones asked for SA_RESTART */
	bool handling;               /* a signal that arrives now may run its handler at once */
	const struct sched_world *world; /* what it waits for outside the process, for sched_io_idle */
};

/*
 * Waits for the time again and again, a background thread that looks around every millisecond: virtual time would let
 * it go round all the time, and the others would get a small share of the turns. From its NAPS_FREE-th nap on time must
 * really come (clock.c): by the steps of the others, or because nobody else can go.
 */
#define NAPS_FREE 32u
static inline bool sched_is_napper(const struct sched_thread *thread)
{
	return thread->naps > NAPS_FREE;
}

/* The calling thread. NULL when the runtime is inert (no wire): call REAL() then. */
struct sched_thread *sched_self(void);
static inline bool sched_active(void)
{
	return rt_wire != NULL;
}

/* Find or make the state of an object. */
struct sched_object *sched_object(const void *address, enum sched_object_kind kind);
void sched_object_destroy(const void *address);

/*
 * Announce, give up the turn, return when picked and ready (or timed out: true is returned
 * then and self->timed_out set). With ready == NULL it is a plain scheduling point.
 */
bool sched_step(enum wire_op op, struct sched_object *object, uintptr_t pc, sched_ready *ready, void *argument);
bool sched_step_timed(enum wire_op op, struct sched_object *object, uintptr_t pc, sched_ready *ready,
		      void *argument, uint64_t deadline_ns);

/*
 * The same for operations that may wait long (wait.c, on top of sched_step_timed): also
 * enabled when a signal handler is due (it runs; then WAKE_SIGNAL if WAIT_SIGNAL is given,
 * else the wait goes on) and, with WAIT_CANCEL, when a cancellation is due (the caller
 * tidies up its model, takes its mutex back, then calls sched_cancel_act). deadline_ns 0: none.
 * mutex: flags 0; cond, join, sem: WAIT_CANCEL; sem, sleep, io: also WAIT_SIGNAL.
 */
enum sched_wake { WAKE_READY, WAKE_TIMEOUT, WAKE_SIGNAL, WAKE_CANCEL };
enum sched_wait_flag { WAIT_CANCEL = 1, WAIT_SIGNAL = 2 };
enum sched_wake sched_wait(enum wire_op op, struct sched_object *object, uintptr_t pc, sched_ready *ready,
			   void *argument, uint64_t deadline_ns, unsigned flags);
bool sched_signal_due(const struct sched_thread *thread); /* a handler would run at its next point */
bool sched_never(struct sched_thread *thread, void *argument); /* a predicate: only time or a signal ends it */
bool sched_bad_time(const struct timespec *time);
bool sched_bad_clock(clockid_t clock); /* timed waits know CLOCK_REALTIME and CLOCK_MONOTONIC */
/* Deferred cancellation (cancel.c): is one due; act on it (unwinds: does not return); a bare cancellation point. */
bool sched_cancel_due(const struct sched_thread *thread);
void sched_cancel_act(void) __attribute__((noreturn));
void sched_cancel_point(uintptr_t pc);
/*
 * The core calls this at the end of sched_step[_timed], when the thread has the turn again
 * and signals_pending or cancel_pending is not 0: due handlers run here (signal.c), an
 * asynchronous cancellation acts here.
 */
void sched_signal_point(struct sched_thread *self);
/*
 * The core calls this when nobody is enabled (before it lets IO waiters with a deadline time
 * out: with a limit of a few ms; else with what is left of wall_ms). Sleeps in the kernel
 * until one of the threads that wait for the world may be ready, or the limit. false: nobody
 * waits for the world, or only for what nobody outside can answer (both ends of the pipe are
 * ours, no child, no timer for a signal): that is a deadlock. true: compute Enabled again.
 */
bool sched_io_idle(uint64_t limit_ms);
/*
 * What a thread waits for in the world (self->world while it waits, io.c): these file
 * numbers; with none, something that can only be looked at again (a child, a shared
 * semaphore, a signal).
 */
struct pollfd;
struct sched_world {
	const struct pollfd *fds;
	uint32_t count;
	bool signals; /* nothing but a signal can end it */
};
enum sched_wake sched_wait_world(const struct sched_world *world, struct sched_object *object, uintptr_t pc,
				 sched_ready *ready, void *argument, uint64_t deadline_ns, unsigned flags);

/*
 * The models by name, for those who do not come through the pthread symbols (C11, guards).
 * Same return values as the pthread function; pc is the caller of the exported name.
 * mutex.c, cond.c, thread.c; pthread_mutex_t is read for its kind at first use only.
 */
int sched_mutex_lock(pthread_mutex_t *mutex, uintptr_t pc);
int sched_mutex_trylock(pthread_mutex_t *mutex, uintptr_t pc);
int sched_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until, uintptr_t pc);
int sched_mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc);
int sched_mutex_destroy(pthread_mutex_t *mutex, uintptr_t pc);
int sched_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uintptr_t pc);
int sched_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
			 const struct timespec *until, uintptr_t pc);
int sched_cond_signal(pthread_cond_t *cond, uintptr_t pc);
int sched_cond_broadcast(pthread_cond_t *cond, uintptr_t pc);
int sched_cond_destroy(pthread_cond_t *cond, uintptr_t pc);
int sched_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			void *argument, uintptr_t pc);
int sched_thread_join(pthread_t thread, void **result, uintptr_t pc);
int sched_thread_detach(pthread_t thread, uintptr_t pc);
int sched_once(pthread_once_t *control, void (*routine)(void), uintptr_t pc);
/* Positive errno; left is written when a handler ended a relative sleep. */
int sched_sleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left, uintptr_t pc);
/* The record of a live or not yet joined thread; NULL when the handle is none of ours. */
struct sched_thread *sched_thread_by_handle(pthread_t thread);

/* A recorded free choice in 0..bound-1 (bound 0: any 32-bit value). */
uint32_t sched_choose(enum wire_op what, uint32_t bound);

/* Book-keeping for reports, deadlocks and the engine (calls rt_on_acquire/release). */
void sched_held_add(struct sched_object *object, enum lock_mode mode, uintptr_t pc);
void sched_held_remove(struct sched_object *object, enum lock_mode mode, uintptr_t pc);

/*
 * Around a call that may block in the kernel for reasons outside the program. begin gives
 * the turn away and marks the thread outside; end takes part in scheduling again (the
 * order of returns is recorded). Prefer: poll for readiness as a `ready` predicate.
 */
void sched_outside_begin(enum wire_op op, uintptr_t pc);
void sched_outside_end(void);

/* Virtual time, nanoseconds; realtime base is fixed under --pin. */
uint64_t sched_now(void);
uint64_t sched_deadline_from(const struct timespec *absolute, int clock);
/* The same rest of time on a real clock, for a REAL() timed call. */
struct timespec sched_real_deadline(const struct timespec *until, int clock, int real_clock);
void sched_advance(uint64_t ns);

/* Threads, for models that must look at all of them. */
struct sched_thread *sched_thread_at(uint32_t ordinal);
uint32_t sched_thread_count(void);

/* End the trial now: END record, then _exit / kill as the outcome asks. */
void sched_end(enum wire_end how, int code) __attribute__((noreturn));

/* ---- policies: policy_*.c, one table --------------------------------------------------- */

/*
 * pick: one of enabled[0..count) (never postponed ones); the guarantee stands in each file.
 * All randomness from sched_random(). Called with count >= 1, also when there is no choice
 * (so that priorities see every step).
 */
struct sched_policy {
	const char *name;
	void (*start)(void);
	void (*thread_created)(struct sched_thread *thread);
	uint32_t (*pick)(struct sched_thread **enabled, uint32_t count);
	void (*executed)(struct sched_thread *thread);
	/* Optional: it spins or yields; a priority policy puts it below all others. */
	void (*moved_down)(struct sched_thread *thread);
};
extern const struct sched_policy sched_policy_random, sched_policy_pct, sched_policy_pos, sched_policy_surw;
uint64_t sched_random(void);
uint32_t sched_random_below(uint32_t bound);
extern uint64_t sched_step_count;

#endif
