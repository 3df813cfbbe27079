/*
 * turn - what the core's own files share: the state of the trial and the steps of the loop.
 * Models and policies see internal.h only.
 *
 *     sched_step                       turn.c      announce, decide, pass the baton
 *       turn_decide                    turn.c      Algorithm 1, one statement per call
 *         progress_leave_out             progress.c  who spins makes room
 *         sched.policy->pick           policy_*.c  t := a thread of Enabled \ postponed
 *         replay_pick                  replay.c    ... or the recorded one
 *         pair_meet                    pair.c      Racing, postpone, resolve
 *         gate_holds_back              gate.c      ... before the lock that is in the way
 *         edge_holds_back              deadlock.c  likewise for lock cycles
 *         deadlock_report              deadlock.c  Enabled empty, Active not
 *       step_record                    record.c    hash, schedule
 */
#ifndef SCHED_TURN_H
#define SCHED_TURN_H

#include "rt/sched/internal.h"

/* Waits until it has the lock, without a time limit. */
static inline bool sched_takes_lock(enum wire_op op)
{
	return op == OP_LOCK || op == OP_RDLOCK || op == OP_WRLOCK || op == OP_SPIN_LOCK;
}

struct sched_core {
	bool running;                 /* a trial goes on; false: inert, or END was written */
	bool ended;                   /* END was written */
	bool directed;                /* the plan has sites: a pair, or points of any policy */
	bool edges;                   /* likewise for deadlock candidates */
	bool replay;
	const struct sched_policy *policy;
	struct sched_thread *current; /* who has the turn */
	struct sched_thread **threads;
	uint32_t thread_count, thread_size, alive_count;
	struct sched_thread **list;   /* Enabled \ postponed of this decision */
	struct sched_thread **racing; /* R */
	uint32_t forced_next, forced_count; /* rest of R still to be executed: racing[] */
	uint32_t outside_count;
	uint32_t timed_count;         /* waiting with a deadline that has not come */
	uint32_t reap_tid;            /* kernel's id of a thread that ended just now */
	uint32_t pid;
	uint64_t random;
	uint64_t hash;
	uint64_t turns;               /* TURN steps, against the step limit */
	uint64_t step_limit;
	uint32_t switches;
	uint32_t postponed_count;
	uint64_t quiet;               /* statements in a row that only looked, by anybody */
	uint64_t repeated;            /* statements in a row that were passed before, locks too */
	uint64_t now;                 /* virtual ns */
	uint32_t jumps;               /* of the clock while only postponed threads could go */
};
extern struct sched_core sched;

/* core.c */
void sched_trial_begin(void);     /* read the plan, reset the state, main thread has the turn */
void sched_write_end(enum wire_end how, int code); /* once; later calls do nothing */
struct sched_thread *sched_thread_add(struct rt_thread *rt);

/* turn.c */
void turn_leave(struct sched_thread *self); /* it has ended: give the turn away for good */
void turn_wait(struct sched_thread *self);  /* park until picked */
void turn_pass_on(void);                    /* decide, and hand the turn over without waiting */
/* Fill sched.list with Enabled \ postponed; *postponed counts the enabled ones left out. */
uint32_t turn_gather(uint32_t *postponed);
bool turn_is_ready(struct sched_thread *thread);
bool turn_is_expired(const struct sched_thread *thread);

/* progress.c */
void progress_note(struct sched_thread *thread);    /* its statement is executed now */
uint32_t progress_leave_out(uint32_t count);        /* sched.list without one that goes round in circles */

/* outside.c */
void outside_collect(void);       /* take back who has returned */
bool outside_has_returned(void);
bool outside_wait(void);          /* until somebody may have; false: nobody is outside */
bool outside_linger(void);        /* all who can go are held back: has somebody come back meanwhile? */

/* rescue.c */
bool rescue_wait(struct sched_thread *self);   /* park; true: the turn was taken, decide who gets it */
void rescue_rejoin(struct sched_thread *self); /* it was taken from us: back into the queue */
bool rescue_leave(struct sched_thread *self);  /* by itself: from now on it is outside; false: nobody else could go */
bool rescue_is_asleep(const struct sched_thread *thread); /* says the kernel */

/* preempt.c */
void preempt_look(uint64_t turns);             /* on a parked thread: does the holder spin? */
uint64_t preempt_computed(const struct sched_thread *thread); /* ns of processor time so far */

/* object.c */
void sched_objects_forget(const void *start, size_t size); /* the memory is given back */

/* record.c */
void step_record(struct sched_thread *thread, enum wire_step_kind kind, enum wire_op op, uint32_t object,
		 uint32_t chosen, uintptr_t pc);
uint32_t step_choice(struct sched_thread *thread, enum wire_op what, uint32_t value);

/* pair.c */
void pair_start(void);            /* resolve the plan's sites; also restores patched ones */
int pair_side(uintptr_t pc);      /* enum wire_side, -1: not in the plan */
struct sched_thread *pair_meet(struct sched_thread *thread); /* whom to execute; NULL: it was postponed */
struct sched_thread *pair_release(void); /* all enabled are postponed: a random one is let go */
struct sched_thread *pair_overdue(void); /* postponed longer than fair; NULL: none */
void pair_postpone(struct sched_thread *thread);
void pair_pass(struct sched_thread *thread); /* its access is executed now, whoever it meets */
bool pair_has_met(void);           /* a meeting was recorded in this trial */

/* gate.c */
void gate_start(void);
bool gate_holds_back(struct sched_thread *thread);
void gate_open(int side);         /* somebody stands before an access of this side */
void gate_learn(void);            /* tell the host who stands in the way with a lock */

/* deadlock.c */
void edge_start(void);
bool edge_holds_back(struct sched_thread *thread);

/* order.c */
int order_side(const struct sched_thread *thread); /* of a lock operation in the plan; -1: none */
struct sched_thread *order_meet(struct sched_thread *thread);
void deadlock_report(void);

/* report.c */
void report_hit(struct sched_thread *a, struct sched_thread *b, uint32_t first);
extern uint32_t report_pending;   /* accesses of hits that are not over: then tell of each ... */
void report_went(const struct sched_thread *thread); /* its turn has come: the access happens next */
void report_left(const struct sched_thread *thread); /* it has reached its next point, or an end */

/* replay.c */
void replay_start(void);
bool replay_turn(struct sched_thread **list, uint32_t count, uint32_t *index);
bool replay_choice(enum wire_op what, uint32_t bound, uint32_t *value);
bool replay_timeout(uint32_t *ordinal);  /* is the next recorded decision a jump of the clock? */
bool replay_return(uint32_t *ordinal);   /* ... or a return from outside? */
bool replay_waits_for_world(void);        /* ... or one that the world must first let go? */
bool replay_overdue(uint32_t *ordinal);  /* ... or a postponed thread let go early? */
bool replay_is_exact(void);              /* the next decision must be the recorded one */
void replay_compare(enum wire_step_kind kind);

/* clock.c, pin.c */
void clock_start(void);
void pin_start(void);
struct sched_thread *clock_jump(bool must); /* let a timed wait expire: whose; NULL: none */

/* watchdog.c, server.c */
void watchdog_start(void);
void server_loop(void);           /* returns in each child, with its trial to run */

/* thread.c */
void thread_start(void);      /* once, before the first trial */
void thread_start_main(void); /* main ends like any other thread */

/* mutex.c, for streams, conditions and thread ends */
struct sched_object *mutex_recursive(const void *address);
int mutex_lock_object(struct sched_object *object, uintptr_t pc);
int mutex_trylock_object(struct sched_object *object, uintptr_t pc);
int mutex_unlock_object(struct sched_object *object, uintptr_t pc);
int sched_mutex_release(pthread_mutex_t *mutex, uint32_t *count, uintptr_t pc);
bool sched_mutex_is_shared(pthread_mutex_t *mutex);
int sched_mutex_release_model(pthread_mutex_t *mutex, uint32_t *count, uintptr_t pc);
int sched_mutex_retake(pthread_mutex_t *mutex, uint32_t count, uintptr_t pc);
void sched_mutex_owner_ends(struct sched_thread *self);

/* verifier.c */
void verifier_start(void);
bool verifier_is_atomic(const struct sched_thread *self, uintptr_t pc, const void *frame);

extern const struct sched_policy *const sched_policies[];

#endif
