/*
 * store - STAGE 2: remember and merge. The only SQL in deadheat is behind this.
 *
 * A store is a folder (default .deadheat/) with store.db (SQLite, WAL) and schedules/
 * (one file per witness), or a database of a PostgreSQL server with the same tables. Safe to kill at any moment: each put is one transaction.
 * Candidates merge by id: rungs climb, found_by and places add up, the example with
 * stacks wins over one without (merge.c has the rules). Trials, hits and outcomes come
 * from store_put_trial(s) alone; those of a candidate that is put are not looked at. A
 * hit lifts its candidate to confirmed, a hit with harm to harmful.
 *
 * Everything read is copied into the caller's arena. 0 / -1 with a message throughout.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>

#include "base/arena.h"
#include "race/candidate.h"

#define STORE_DEFAULT ".deadheat"
#define STORE_VERSION 3

struct store;

/*
 * location: a folder (made if missing and create is set) or postgresql://[USER@]HOST/DATABASE.
 * A store of a newer version, a read-only folder, a full disk, no server: one clear line.
 */
struct store *store_open(const char *location, bool create);
/* Does the location name a server, which other machines reach too? */
bool store_is_shared(const char *location);
/* In place: "postgresql://user:secret@host/db" without the secret. For whatever is printed. */
char *store_hide_password(char *location);
void store_close(struct store *store);
/* "SQLite 3.40.1": for doctor. */
const char *store_library(void);
const char *store_location(const struct store *store);
/* How long to wait for another process that writes; a minute unless set. */
void store_set_patience(struct store *store, unsigned milliseconds);
/* The last failure was that the server went away: trying again later may succeed. */
bool store_is_gone(const struct store *store);
/* Until somebody may have put work into the store, or that long. */
void store_wait(struct store *store, unsigned milliseconds);

/* How a program was started, kept for later stages. */
struct store_program {
	int64_t id;
	const char *path;
	const char *build_id;
	const char *cwd;
	char **argv;  /* NULL terminated */
	char **envp;
};
/*
 * The same command line, build and environment (but for variables of the terminal session)
 * again gives the same id.
 */
int store_put_program(struct store *store, struct store_program *program);
/* The newest, or by id (0 = newest). 1 found, 0 none, -1 error. */
int store_get_program(struct store *store, struct arena *arena, int64_t id, struct store_program *program);
/*
 * Whose findings they are: 1 if the finding was last seen in a program of that path, or in none
 * (scan), 0 if not, -1 error; the same of a program's path, arguments and folder; and the newest id
 * of each of these that has findings.
 */
int store_is_of_program(struct store *store, const char *id, const char *path);
int store_is_of_command(struct store *store, const char *id, int64_t program);
int store_programs(struct store *store, struct arena *arena, int64_t **ids, size_t *count);
/* The program a finding was last seen in; 0: in none. 1, 0 no such finding, -1 error. */
int store_program_of(struct store *store, const char *id, int64_t *program);

/* One run of a stage; counters and exit status hang on it. */
int store_begin_run(struct store *store, const char *stage, int64_t program, int64_t *run);
int store_end_run(struct store *store, int64_t run, const char *exit_status);
/* Adds to the counter of this name. */
int store_put_counter(struct store *store, int64_t run, const char *name, uint64_t value);

/* Merge one finding; *is_new says whether the id was unknown. */
int store_put_candidate(struct store *store, int64_t run, const struct candidate *candidate, bool *is_new);
int store_put_deadlock(struct store *store, int64_t run, const struct deadlock *deadlock, bool *is_new);
int store_put_failure(struct store *store, int64_t run, const struct failure *failure, bool *is_new);

/*
 * One finished trial, committed once. candidate is the id it was directed at (or "" for
 * fuzz), order 0 / 1 / -1 which side went first, -1 when the pair was not hit. (policy,
 * seed, candidate, program) is unique: the same trial twice counts once.
 */
struct store_trial {
	const char *candidate;
	const char *policy;
	uint64_t seed;
	const char *outcome;
	bool harm;
	bool hit;
	int order;
	uint64_t steps;
	uint64_t hash;
};
int store_put_trial(struct store *store, int64_t run, int64_t program, const struct store_trial *trial);
/* Many at once, one transaction. */
int store_put_trials(struct store *store, int64_t run, int64_t program, const struct store_trial *trials, size_t count);

/*
 * Replace the witness of a finding; schedule bytes are written to schedules/<id>.dhs. Its
 * program is that of the run this process began last.
 */
int store_put_witness(struct store *store, const char *id, const struct witness *witness,
		      const void *schedule, size_t size);
/* Schedule bytes of a finding into the arena. 1 found, 0 none, -1 error. */
int store_get_schedule(struct store *store, struct arena *arena, const char *id,
		       void **schedule, size_t *size, int64_t *program);

/* All findings, highest rung first, then by title. */
struct store_findings {
	struct candidate *candidates;
	size_t candidate_count;
	struct deadlock *deadlocks;
	size_t deadlock_count;
	struct failure *failures;
	size_t failure_count;
	struct { const char *name; uint64_t value; } *counters; /* summed over the runs */
	size_t counter_count;
};
int store_read(struct store *store, struct arena *arena, struct store_findings *findings);

/* First seen, each rung reached, last seen; what is unknown is NULL. */
struct store_event {
	const char *what;      /* "first seen", "suspected", ..., "last seen" */
	int64_t at;            /* seconds since 1970 */
	const char *stage;     /* "detect", "work", ... */
	const char *build_id;  /* of the program that was run */
	const char *command;   /* and how */
};
int store_history(struct store *store, struct arena *arena, const char *id, struct store_event **events, size_t *count);

/* One finding, without its tallies. Which of the two it is: 1 a candidate, 2 a deadlock, 0 neither, -1 error. */
int store_get_finding(struct store *store, struct arena *arena, const char *id, struct candidate *candidate,
		      struct deadlock *deadlock);

/* Full id from a unique prefix of any finding's id. 1 found, 0 none, -1 ambiguous (message lists them). */
int store_resolve(struct store *store, const char *prefix, char id[CANDIDATE_ID_SIZE]);

#endif
