/*
 * store's own: the engine behind it, and what its files share.
 *
 * An engine is a table of a few functions; sqlite.c has one. All other files here speak
 * SQL that both SQLite and PostgreSQL understand (ON CONFLICT, RETURNING, $1), so that a
 * second engine needs no change in them.
 *
 * How to add an engine: write NAME.c with a `const struct engine engine_NAME`, give it the
 * location prefix it answers to, add it to the list in store.c.
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "store/store.h"

/* One argument of a statement. */
enum arg_type { ARG_NULL, ARG_INT, ARG_TEXT };
struct arg {
	enum arg_type type;
	int64_t number;
	const char *text;
};
#define INT(x) ((struct arg){ .type = ARG_INT, .number = (int64_t)(x) })
#define REF(x) ((struct arg){ .type = (x) ? ARG_INT : ARG_NULL, .number = (int64_t)(x) }) /* 0: none */
#define TEXT(x) arg_text(x)
static inline struct arg arg_text(const char *text)
{
	return (struct arg){ .type = text ? ARG_TEXT : ARG_NULL, .text = text };
}

struct cursor; /* rows of a running statement; an engine's own */

/* Every function that returns int: 0 / -1 with a message unless it says otherwise. */
struct engine {
	const char *prefix; /* of the location: "postgresql://"; "" any folder */
	int (*open)(struct store *store, bool create);
	void (*close)(struct store *store);
	/* Version of the schema; 0 for an empty store. set_version is part of a transaction. */
	int (*version)(struct store *store, int *version);
	int (*set_version)(struct store *store, int version);
	/* Start a statement; sql is a literal: its address is the key of a cache. */
	struct cursor *(*query)(struct store *store, const char *sql, const struct arg *args, size_t count);
	/* 1 a row, 0 no more, -1 error. After 0 or -1 the cursor is gone. */
	int (*next)(struct store *store, struct cursor *cursor);
	void (*stop)(struct store *store, struct cursor *cursor); /* before the last row */
	int64_t (*number)(struct cursor *cursor, int column);
	const char *(*text)(struct cursor *cursor, int column); /* NULL for null; until next */
	size_t (*size)(struct cursor *cursor, int column);      /* of the text last asked for */
	int (*begin)(struct store *store, bool write); /* reading: one view over several queries */
	int (*commit)(struct store *store);
	void (*rollback)(struct store *store);
	void (*set_patience)(struct store *store, unsigned milliseconds);
};
extern const struct engine engine_sqlite;

struct store {
	const struct engine *engine;
	void *connection;      /* the engine's */
	char *location;
	int64_t program, run;  /* of the run this process began last; 0 none */
	unsigned patience;     /* milliseconds to wait for another writer */
	struct suppressions *suppressions; /* suppress.c's; NULL until the first is read */
};

/* sql.c: short forms. Arguments are struct arg. */
int sql_run(struct store *store, const char *sql, const struct arg *args, size_t count);
/* First column of the first row. 1 found, 0 no row, -1 error. */
int sql_number(struct store *store, const char *sql, const struct arg *args, size_t count, int64_t *value);
#define ARGS(...) (const struct arg[]){ __VA_ARGS__ }, sizeof((const struct arg[]){ __VA_ARGS__ }) / sizeof(struct arg)
#define NO_ARGS NULL, 0
int sql_begin(struct store *store);
/* Commit if result is 0, else roll back (the message stays). Returns the result. */
int sql_end(struct store *store, int result);

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

/* finding.c */
enum finding_kind { KIND_FUZZ = 0, KIND_CANDIDATE = 1, KIND_DEADLOCK = 2, KIND_FAILURE = 3 };
/* Number, kind and rung of a finding by id. 1 found, 0 none, -1 error. */
int finding_find(struct store *store, const char *id, int64_t *number, int64_t *kind, int64_t *rung);
/* Raise the rung and write it down with the time. */
int finding_climb(struct store *store, int64_t run, int64_t number, enum rung rung);

/* schedule.c */
char *schedule_path(struct arena *arena, const struct store *store, const char *id);

#endif
