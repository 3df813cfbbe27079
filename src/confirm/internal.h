/*
 * internal - what the files of confirm/ show each other.
 *
 *     plan.c       candidate -> wire plan              server.c   one fork server
 *     reference.c  how the program ends undisturbed    pool.c     J servers, one poll loop
 *     prepare.c    before the first candidate          witness.c  which trial is kept
 *     judge.c      ending -> outcome word, harm        trial.c    wire of a trial -> struct trial
 *     meeting.c    hits -> pairs, each described once  orders.c   critical sections in both orders
 *     search.c     trials of one candidate             fuzz.c     trials without one
 *     schedule.c   the schedule file                   shrink.c   fewer switches, same outcome
 *     replay.c     the same schedule again             gdb.c      ... under gdb
 *     campaign.c   a campaign and its plans as text    work.c     a worker: lease by lease
 *     budget.c     who gets the trials of a round
 *
 * I1  Trials are *counted* in the order of their index, whatever the order in which the
 *     servers end them: so a result does not depend on --jobs.
 * I2  What the target wrote is read at the end of the trial, before the wire is reset.
 */
#ifndef CONFIRM_INTERNAL_H
#define CONFIRM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "confirm/confirm.h"
#include "store/campaign.h"
#include "wire/reader.h"

struct trial_gate;

/* ---- plan.c ------------------------------------------------------------------------- */

int plan_policy(const char *name); /* enum wire_policy, -1 if unknown */
const char *plan_policy_name(uint32_t policy);
/* Steps after which a trial is called a hang; second: when it is looked at once more. */
uint64_t plan_step_limit(const struct confirm_context *context, bool second);
/* What does not depend on the candidate. */
void plan_start(struct wire_plan_parts *parts, const struct confirm_context *context);
/* 0; -1 with a message when a side has no site in this program. */
int plan_candidate(struct confirm_context *context, struct arena *arena, const struct candidate *candidate,
		   struct wire_plan_parts *parts);
int plan_deadlock(struct confirm_context *context, struct arena *arena, const struct deadlock *deadlock,
		  struct wire_plan_parts *parts);
/*
 * The accesses of every candidate the store has for this build become scheduling points of
 * the plan, besides the sites it has. Keeps what was there; the array is in arena.
 */
int plan_add_points(struct confirm_context *context, struct arena *arena, struct wire_plan_parts *parts);
/* Likewise places that take a lock: whoever goes there waits before it (rt/sched/gate.c). */
void plan_add_gates(struct confirm_context *context, struct arena *arena, const struct trial_gate *gates, size_t count,
		    struct wire_plan_parts *parts);
/* The same with points that were found earlier. */
void plan_join_points(struct arena *arena, struct wire_plan_parts *parts, const struct wire_plan_parts *points);

/* ---- server.c ------------------------------------------------------------------------- */

enum server_state { SERVER_DOWN, SERVER_IDLE, SERVER_BUSY };

struct server {
	enum server_state state;
	struct wire_host wire;
	pid_t pid;             /* of what we started; its own process group */
	int control;           /* our end of the socket */
	int input, output;     /* the trials' 0 and 1+2; output is ours to read and truncate */
	int core;              /* -1: not pinned */
	pid_t trial;           /* 0 until STARTED */
	uint64_t deadline;     /* monotonic ms: then the trial is killed by us */
	bool killed;           /* ... which we did */
	uint64_t dropped;      /* bytes of output thrown away, see OUTPUT_MAX */
	int status;            /* wait status of the last trial */
};

/* Start the target and wait until it stands before main. 0; -1 with one clear line. */
/* wire_put_plan, and what an uninstrumented program needs besides. 0 / -1. */
int server_put_plan(struct wire_host *wire, const struct confirm_context *context, const struct wire_plan_parts *parts);
int server_start(struct server *server, const struct confirm_context *context, int core);
void server_stop(struct server *server);
/* Start a trial. 0 / -1. */
int server_run(struct server *server, const struct confirm_context *context, const struct wire_plan_parts *parts);
/* A message or the end of the socket is there: 1 the trial ended, 0 not yet, -1 the server died. */
int server_event(struct server *server);
/* Time passes: kills a trial past its deadline, bounds its output. */
void server_tick(struct server *server, uint64_t now);
/* End the running trial at once and wait for that. */
void server_cancel(struct server *server);
/* What the trial printed. */
void server_output(const struct server *server, struct strbuf *text);

/* stdin of a trial: --stdin FILE or /dev/null. -1 with a message. */
int server_input(const struct confirm_options *options);
/* A file for stdout and stderr: append-only, so that it can be truncated at any time. */
int server_output_file(void);

/* ---- judge.c, reference.c ---------------------------------------------------------------- */

/* How a run ended, in the words of struct outcome. Strings are interned (judge_word). */
struct ending {
	const char *outcome;
	const char *message; /* assertion text, headline of a sanitizer; NULL if none */
	bool normal;         /* the program ended itself: "exit N" */
	bool counts;         /* false: an assumption failed, the trial says nothing */
};

/* The same pointer for the same word, for as long as the process lives. */
const char *judge_word(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* end may be NULL (no END record); note is the last NOTE or NULL. */
void judge_ending(struct ending *ending, const struct wire_ev_end *end, const char *note, int status,
		  bool killed, const char *output);

/* The undisturbed program: what it ends as, what it prints. */
struct reference {
	VEC(const char *) outcomes;
	bool normal, good;    /* one of them is "exit N" / "exit 0" */
	bool endless;         /* an undirected trial does not end within its steps either */
	uint64_t took_ms;     /* the longest */
	struct strbuf output; /* of the first run */
};
int reference_take(struct confirm_context *context, struct reference *reference);
void reference_add(struct reference *reference, const struct ending *ending);
bool reference_harm(const struct reference *reference, const char *outcome);
void reference_free(struct reference *reference);

/* ---- meeting.c ----------------------------------------------------------------------------- */

/* A pair of sites that met, described once; the key is the places, as the record has them. */
struct meeting {
	uint64_t key[2];
	struct candidate candidate;
	bool swapped;      /* access[0] is the record's b */
	uint32_t thread[2]; /* ordinals, in the order of the candidate */
};

struct known_deadlock {
	uint64_t key;
	struct deadlock deadlock;
};

struct meetings {
	struct arena arena;
	VEC(struct meeting *) known;
	VEC(struct known_deadlock *) deadlocks;
};

/* ---- trial.c --------------------------------------------------------------------------------- */

struct trial_hit {
	const struct meeting *meeting;
	int order;         /* 0: access[0] of the candidate went first */
	uint64_t step;
	struct wire_access access[2]; /* in the order of the candidate: what was there, what was left */
};

struct trial_gate {
	enum wire_side side; /* WIRE_SIDE_A or _B */
	struct wire_plan_module module;
	uint32_t offset;     /* return address of the call that took it */
};

struct trial {
	unsigned index;
	bool other;        /* it ran by the job's other plan */
	uint64_t seed;
	struct ending ending;
	VEC(struct trial_hit) hits;
	VEC(struct trial_gate) gates;    /* locks that stood in the way of a meeting */
	const struct deadlock *deadlock; /* it ended in one: the cycle, described; NULL */
	uint64_t steps, hash;
	unsigned switches, threads;
	uint64_t children;
	bool complete;     /* every step is in the record */
	/* only when the trial may become a witness (trial_keep) */
	struct strbuf schedule; /* struct wire_step[] */
	struct strbuf modules;  /* struct wire_plan_module[], by the index in pc.module */
};
#define TRIAL_INIT { .schedule = STRBUF_INIT, .modules = STRBUF_INIT }

/* Read the wire after the end. compare: what the output should be, NULL if nobody asks. */
void trial_read(struct trial *trial, struct server *server, struct meetings *meetings, struct sym *sym,
		const struct reference *compare);
/* Copy the steps too. */
void trial_keep(struct trial *trial, const struct server *server);
void trial_free(struct trial *trial);
/* The first hit of the pair with this id; NULL if none. */
const struct trial_hit *trial_hit_of(const struct trial *trial, const char *id);

void meetings_free(struct meetings *meetings);
/* The meeting of a HIT record; NULL if torn. */
const struct meeting *meeting_of(struct meetings *meetings, struct sym *sym, const struct server *server,
				 const struct wire_record *record);
/* "T2, created at main.c:31", of a thread that has met somebody; else its number. */
const char *meeting_thread(const struct meetings *meetings, struct arena *arena, uint32_t thread);
/* The lock cycle of a DEADLOCK record (all who wait, if there is no cycle). NULL if torn. */
const struct deadlock *meeting_deadlock(struct meetings *meetings, struct sym *sym,
					const struct server *server, const struct wire_record *record);

/* ---- pool.c ------------------------------------------------------------------------------------ */

struct module_id {
	char *module;
	char build_id[BUILD_ID_HEX_MAX];
};

/* Two places that take the same lock in different threads, see orders.c. */
struct order_place {
	struct wire_plan_module module;
	uint32_t offset;
};
struct order {
	struct order_place a, b;
	struct wire_plan_module modules[2]; /* the same as parts of a plan */
	struct wire_plan_site sites[2];
};

struct confirm_pool {
	struct server *servers;
	unsigned count;
	struct meetings meetings;
	struct reference reference;
	bool have_reference;
	bool dies_alone;      /* every undirected trial crashed before a second thread was started */
	uint64_t length;      /* steps of an undirected trial; 0 not taken */
	uint64_t strays;      /* processes left behind by trials, ended by us */
	bool blind;           /* the wall clock had to act: a loop passes no scheduling point */
	VEC(struct module_id) module_ids; /* build-ids read so far */
	VEC(struct order) orders;         /* empty until surveyed */
};

/*
 * Run trials first .. count-1, or until finished() says 1. plan() fills in what differs from
 * trial to trial (the seed is set already); finished() sees them in order and may keep
 * nothing of the trial but what it copies or takes (trial_free follows).
 */
struct pool_job {
	const char *title;    /* for the progress line */
	unsigned first;       /* index of the first trial to run */
	unsigned count;
	struct wire_plan_parts parts;
	const struct wire_plan_parts *other; /* for most trials, for all after a watchdog; NULL: the same */
	unsigned letter_every; /* 0 and its multiples run by parts, the others by other; 0: 2 */
	uint64_t seed;        /* of trial 0 */
	int (*plan)(void *context, unsigned index, struct wire_plan_parts *parts);  /* may be NULL */
	bool (*keeps)(void *context, const struct trial *trial); /* copy its log and steps? may be NULL */
	int (*finished)(void *context, struct trial *trial);     /* 1 stop, 0 go on, -1 error */
	unsigned (*hits)(void *context);                         /* for the progress line; may be NULL */
	void *context;
};

/* A first server is up, the others start when needed. 0 / -1 with one clear line. */
int pool_open(struct confirm_context *context);
/* Learn how the program ends undisturbed. */
int pool_take_reference(struct confirm_context *context);
void pool_close(struct confirm_context *context);
int pool_run(struct confirm_context *context, const struct pool_job *job);
/* Ctrl-C or SIGTERM came. */
bool pool_interrupted(void);
/* From the first catch to the last release they are noted instead of ending us; a pool does so while it is open. */
void signals_catch(void);
void signals_release(void);

/* ---- witness.c ------------------------------------------------------------------------------------ */

/* The trial to be stored for a finding: a harmful one before a harmless one, then fewest switches. */
struct witness_trial {
	bool have, harm;
	struct trial trial;
};
bool witness_better(const struct witness_trial *best, const struct trial *trial, bool harm);
/* Takes the kept schedule out of the trial. */
void witness_take(struct witness_trial *best, struct trial *trial, bool harm);
void witness_free(struct witness_trial *best);
/* Does the store have a schedule of this build for the finding? */
bool witness_exists(struct confirm_context *context, const char *id);
/* Shrink it if asked to and store it under id. parts: what it was directed at. */
int witness_store(struct confirm_context *context, struct witness_trial *best, const struct wire_plan_parts *parts,
		  const char *id);

/* ---- shrink.c --------------------------------------------------------------------------------------- */

/* Replace the trial's schedule by one with fewer switches: same outcome, same pair met (id). 0 / -1. */
int shrink(struct confirm_context *context, struct trial *trial, const struct wire_plan_parts *parts, const char *id);

/* ---- orders.c --------------------------------------------------------------------------------------- */

/* Fill pool->orders from a few undirected trials, once. 0 / -1. */
int orders_survey(struct confirm_context *context);
/* Direct a trial at one of them (there must be some). The arrays are the pool's. */
void orders_aim(const struct confirm_pool *pool, size_t number, struct wire_plan_parts *parts);

/* ---- schedule.c ---------------------------------------------------------------------------------- */

/* Bytes of the file of a kept trial; parts: the pair it was directed at. */
void schedule_encode(struct strbuf *file, const char *build_id, const struct trial *trial,
		     const struct wire_plan_parts *parts, const char *id);
struct schedule {
	const struct schedule_file *head;
	const struct wire_step *steps;
	const struct wire_plan_module *modules;
	const struct wire_plan_site *sites;
	const struct wire_plan_edge *edges;
};
/* Check and open the bytes of a file. -1 with one clear line. */
int schedule_decode(struct schedule *schedule, const void *data, size_t size, const char *id);
/* The choices of the steps, in arena. verify: with the hashes. */
size_t schedule_choices(struct arena *arena, const struct wire_step *steps, size_t count, bool verify,
			struct wire_choice **choices);
/* "step 12: T1 lock on object 3, recorded T2 unlock on object 3". */
const char *schedule_difference(struct arena *arena, const struct wire_step *now, size_t now_count,
				const struct wire_step *then, size_t then_count, int64_t *index);

/* ---- search.c, by lease --------------------------------------------------------------------------- */

/* A part of a campaign's trials of one target, see work.c. */
struct lease_run {
	struct store_lease lease;
	int64_t worker;
	uint64_t seed;     /* of the target's trial 0 */
	unsigned settled;  /* trials not yet in the store */
	bool lost;         /* the lease is another's by now: nothing more is counted */
	int kept;          /* witness looked after: 0 none, 1 one that met, 2 one that did harm */
	bool shrinks;      /* ... by us: the trials done, look for one with fewer switches */
	int (*met)(struct confirm_context *context, struct lease_run *run, const struct candidate *candidate,
		   const struct deadlock *deadlock); /* a pair that may become a target */
};
/* All trials of the lease, each counted in the store. finding: one of the two. 0 / -1. */
int search_lease(struct confirm_context *context, struct lease_run *run, const struct candidate *candidate,
		 const struct deadlock *deadlock, const struct wire_plan_parts *parts, const struct wire_plan_parts *loose);

/* ---- replay.c ---------------------------------------------------------------------------------- */

/* The schedule of a finding, checked against the program. 0; -1 with one clear line. */
int replay_open(struct confirm_context *context, struct arena *arena, const char *id, struct schedule *schedule);
void replay_plan(struct confirm_context *context, struct arena *arena, const struct schedule *schedule, bool verify,
		 struct wire_plan_parts *parts);

#endif
