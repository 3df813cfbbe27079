/*
 * store's own: the engine behind it, and what its files share.
 *
 * An engine is a table of a few functions: sqlite.c (a folder) and postgresql.c (a server)
 * have one each. All other files here speak SQL that both understand (ON CONFLICT, RETURNING,
 * $1, deadheat_now()); schema.c also needs the words of struct dialect.
 *
 * How to add an engine: write NAME.c with a `const struct engine engine_NAME`, and say in
 * store.c, engine_for(), which locations are its.
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "store/store.h"

/* One argument of a statement. */
enum arg_type { ARG_NULL, ARG_INT, ARG_TEXT, ARG_BYTES };
struct arg {
	enum arg_type type;
	int64_t number; /* ARG_BYTES: how many */
	const char *text;
};
#define INT(x) ((struct arg){ .type = ARG_INT, .number = (int64_t)(x) })
#define REF(x) ((struct arg){ .type = (x) ? ARG_INT : ARG_NULL, .number = (int64_t)(x) }) /* 0: none */
#define BYTES(data, size) ((struct arg){ .type = ARG_BYTES, .number = (int64_t)(size), .text = (data) })
#define TEXT(x) arg_text(x)
static inline struct arg arg_text(const char *text)
{
	return (struct arg){ .type = text ? ARG_TEXT : ARG_NULL, .text = text };
}

struct cursor; /* rows of a running statement; an engine's own */

/* Words of schema.c that an engine has others for. */
struct dialect {
	const char *from, *to;
};

/* READ: one view over several queries. WRITE: nobody else writes meanwhile. */
enum begin { BEGIN_READ, BEGIN_WRITE };

/* Every function that returns int: 0 / -1 with a message unless it says otherwise. */
struct engine {
	const struct dialect *dialect; /* ends with NULL; NULL: none */
	bool has_folder;               /* the location is one: schedules are files in it */
	bool skips_locked;             /* FOR UPDATE SKIP LOCKED */
	int (*open)(struct store *store, bool create);
	void (*close)(struct store *store);
	/* Version of the schema; 0 for an empty store. set_version is part of a transaction. */
	int (*version)(struct store *store, int *version);
	int (*set_version)(struct store *store, int version);
	/* Start a statement; sql is a literal: its address is the key of a cache. */
	struct cursor *(*query)(struct store *store, const char *sql, const struct arg *args, size_t count);
	/* The same for a text made on the spot. */
	struct cursor *(*query_once)(struct store *store, const char *sql);
	/* 1 a row, 0 no more, -1 error. After 0 or -1 the cursor is gone. */
	int (*next)(struct store *store, struct cursor *cursor);
	void (*stop)(struct store *store, struct cursor *cursor); /* before the last row */
	int64_t (*number)(struct cursor *cursor, int column);
	bool (*truth)(struct cursor *cursor, int column);
	const char *(*text)(struct cursor *cursor, int column); /* NULL for null; until next */
	size_t (*size)(struct cursor *cursor, int column);      /* of the text last asked for */
	void (*bytes)(struct cursor *cursor, int column, struct strbuf *out);
	int (*begin)(struct store *store, enum begin how);
	int (*commit)(struct store *store);
	void (*rollback)(struct store *store);
	void (*set_patience)(struct store *store, unsigned milliseconds);
	/* Until somebody wakes us, or that long. wake() is part of a transaction. */
	void (*wait)(struct store *store, unsigned milliseconds);
	int (*wake)(struct store *store);
	int (*check)(struct store *store); /* is what is stored readable and whole, as far as the engine can tell? */
	bool (*is_gone)(const struct store *store); /* the server went away; a later try may succeed */
};
extern const struct engine engine_sqlite, engine_postgresql;

struct store {
	const struct engine *engine;
	void *connection;      /* the engine's */
	char *location;
	int64_t program, run;  /* of the run this process began last; 0 none */
	unsigned patience;     /* milliseconds to wait for another writer */
	unsigned depth;        /* of sql_begin(): the outermost one is the transaction */
	int64_t now;           /* seconds, of what is being imported; 0: the clock's */
	struct suppressions *suppressions; /* suppress.c's; NULL until the first is read */
};

/* sql.c: short forms. Arguments are struct arg. */
/* A text made on the spot. */
int sql_run_once(struct store *store, const char *sql);
int sql_run(struct store *store, const char *sql, const struct arg *args, size_t count);
/* First column of the first row. 1 found, 0 no row, -1 error. */
int sql_number(struct store *store, const char *sql, const struct arg *args, size_t count, int64_t *value);
#define ARGS(...) (const struct arg[]){ __VA_ARGS__ }, sizeof((const struct arg[]){ __VA_ARGS__ }) / sizeof(struct arg)
#define NO_ARGS NULL, 0
/* One inside another is part of it. */
int sql_begin(struct store *store);
/* Commit if result is 0, else roll back (the message stays). Returns the result. */
int sql_end(struct store *store, int result);

int64_t sql_now(const struct store *store);

/* suppress.c: STORE/suppressions if it is there; mark the findings they match. */
int suppressions_load(struct store *store);
void suppressions_apply(struct store *store, struct arena *arena, struct store_findings *findings);
void suppressions_free(struct store *store);

/* schema.c: bring the tables to STORE_VERSION. */
int schema_upgrade(struct store *store);

static inline const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* pack.c, unpack.c: the details of a finding as one text column; see there. */
void pack_candidate(struct strbuf *out, const struct candidate *candidate);
void pack_deadlock(struct strbuf *out, const struct deadlock *deadlock);
void pack_failure(struct strbuf *out, const struct failure *failure);
/* A NULL terminated list of strings (argv, envp) likewise. */
void pack_strings(struct strbuf *out, char **strings);
char **unpack_strings(struct arena *arena, char *text);
/* text is cut up in place and must live as long as what points into it. */
int unpack_candidate(struct arena *arena, char *text, struct candidate *candidate);
int unpack_deadlock(struct arena *arena, char *text, struct deadlock *deadlock);
int unpack_failure(struct arena *arena, char *text, struct failure *failure);

/* merge.c: what two reports of one pair are together. */
void merge_candidate(struct arena *arena, struct candidate *into, const struct candidate *more);
void merge_deadlock(struct deadlock *into, const struct deadlock *more);

/* text.c: bytes as UTF-8 (text itself if it is that already) and back. */
const char *text_encode(struct arena *arena, const char *text);
void text_decode(struct strbuf *out, const char *text);

/* finding.c */
enum finding_kind { KIND_FUZZ = 0, KIND_CANDIDATE = 1, KIND_DEADLOCK = 2, KIND_FAILURE = 3 };
/* Number, kind and rung of a finding by id. 1 found, 0 none, -1 error. */
int finding_find(struct store *store, const char *id, int64_t *number, int64_t *kind, int64_t *rung);
/* Raise the rung and write it down with the time. */
int finding_climb(struct store *store, int64_t run, int64_t number, enum rung rung);

/* Seen once more, in this run. */
int finding_seen(struct store *store, int64_t run, int64_t number);

/* trial.flags; bits 2 and 3 are order + 1. */
enum { TRIAL_HIT = 1, TRIAL_HARM = 2, TRIAL_ORDER = 2 };

/* trial.c: as store_put_trials, inside a transaction of the caller's. */
int trials_put(struct store *store, int64_t run, int64_t program, const struct store_trial *trials, size_t count);

/* schedule.c: NULL where the store has no folder. */
char *schedule_path(struct arena *arena, const struct store *store, const char *id);

#endif
