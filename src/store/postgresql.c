/*
 * postgresql - the engine of a store on a server: many machines, one queue.
 *
 * The tables are the same as in a folder and lie in a schema named deadheat of the database
 * the location names, so that they meet nobody else's. libpq is loaded at the first such
 * location: deadheat starts as fast as before and runs where libpq is missing.
 *
 * Writing. What reads, merges and writes (findings, trials, rounds) takes one advisory lock
 * for its transaction, as SQLite's BEGIN IMMEDIATE does: the files above need no second
 * thought about who else writes, and nobody deadlocks. Taking a lease is one statement and does
 * not: FOR UPDATE SKIP LOCKED keeps workers out of each other's way. synchronous_commit is off,
 * as SQLite's synchronous=NORMAL: a crash of the server may lose the last half second, whole
 * transactions of it, and the leases with them, so the trials are made again.
 *
 * I1  A connection that is gone is made anew only where no transaction is open: nothing is
 *     ever half-written, and store_is_gone() says that trying again may help.
 * I2  Texts are arbitrary bytes, the server takes UTF-8: see text.c.
 * I3  A message never has the password in it: store->location has it taken out.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/spawn.h"
#include "store/internal.h"

#define ARGS_MAX 16
#define CACHE 128      /* more than there are statements in this folder */
#define LOCK 0x44484554 /* "DHET", the key of the advisory lock; locks are of one database */
#define LOCK_TEXT "1145587028"

/* ---- libpq, when it is needed ----------------------------------------------------------- */

#define PQ_FUNCTIONS(X) \
	X(PQconnectdbParams) X(PQfinish) X(PQstatus) X(PQreset) X(PQerrorMessage) X(PQexec) X(PQprepare) \
	X(PQexecPrepared) X(PQexecParams) X(PQresultStatus) X(PQresultErrorField) X(PQclear) X(PQntuples) \
	X(PQgetvalue) X(PQgetlength) X(PQgetisnull) X(PQsocket) X(PQconsumeInput) X(PQnotifies) X(PQfreemem) \
	X(PQlibVersion) X(PQsetNoticeProcessor)

static struct {
	void *library;
#define X(name) __typeof__(name) *name;
	PQ_FUNCTIONS(X)
#undef X
} pq;

static int load_libpq(const char *location)
{
	const char *missing = NULL;

	if (pq.library)
		return 0;
	pq.library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
	if (!pq.library)
		return error_cannot("cannot open %s: libpq.so.5 is not there; install libpq5, or use --store PATH", location);
#define X(name) if (!missing && !(*(void **)&pq.name = dlsym(pq.library, #name))) missing = #name;
	PQ_FUNCTIONS(X)
#undef X
	if (!missing)
		return 0;
	dlclose(pq.library);
	pq.library = NULL;
	return error_cannot("cannot open %s: the libpq.so.5 here has no %s; install a newer libpq5", location, missing);
}

/* ---- a connection -------------------------------------------------------------------------- */

/* A statement the server has parsed; its number is its name. */
struct prepared {
	const char *sql;
	bool known; /* by the present connection */
};

struct connection {
	PGconn *db;
	char *url;           /* with its password */
	bool open;           /* a transaction is */
	bool gone;           /* the server went away since */
	bool listens;
	struct prepared cache[CACHE];
};

/* All rows of a statement are here already; row counts through them. */
struct cursor {
	PGresult *result;
	int row, rows;
	size_t size;          /* of the text last asked for */
	struct strbuf plain;  /* a text that had to be decoded */
};

static struct connection *connection_of(struct store *store)
{
	return store->connection;
}

/* ---- what went wrong ---------------------------------------------------------------------------- */

/* libpq's messages have several lines; the first says it, without its "FATAL:  ". */
static void first_line(char *out, size_t size, const char *message)
{
	const char *fatal = strstr(message, "FATAL:  ");
	size_t length;

	if (fatal)
		message = fatal + strlen("FATAL:  ");
	else if (!strncmp(message, "ERROR:  ", 8))
		message += 8;
	length = strcspn(message, "\n");
	snprintf(out, size, "%.*s", (int)length, message);
	for (char *p = out; *p; p++)
		if (*p == '\t')
			*p = ' ';
}

static int cannot_connect(struct store *store, const char *message)
{
	char line[400];

	first_line(line, sizeof(line), message);
	if (strstr(line, "password") || strstr(line, "authentication"))
		return error_cannot("the store %s does not let us in: %s; check user and password (PGPASSWORD, ~/.pgpass)",
				    store->location, line);
	if (strstr(line, "does not exist"))
		return error_cannot("cannot open the store %s: %s; createdb and createuser make them", store->location, line);
	if (strstr(message, "refused") || strstr(message, "No such file") || strstr(message, "could not translate") ||
	    strstr(message, "timeout") || strstr(message, "starting up") || strstr(message, "shutting down"))
		return error_cannot("cannot reach the store %s: %s; is the server running there?", store->location, line);
	return error_cannot("cannot open the store %s: %s", store->location, line);
}

static int gone(struct store *store)
{
	connection_of(store)->gone = true;
	return error_cannot("the server of the store %s is gone: what was finished is kept; run again when it is back",
			    store->location);
}

static bool has_class(const char *state, const char *prefix)
{
	return state && !strncmp(state, prefix, strlen(prefix));
}

static int explain(struct store *store, PGresult *result)
{
	const char *state = result ? pq.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
	const char *at = store->location;
	char line[400];

	first_line(line, sizeof(line), pq.PQerrorMessage(connection_of(store)->db));
	if (pq.PQstatus(connection_of(store)->db) == CONNECTION_BAD || has_class(state, "57P"))
		return gone(store);
	if (has_class(state, "53100"))
		return error_cannot("disk full on the server of the store %s: free some space and run again, what was finished "
				    "is kept", at);
	if (has_class(state, "55P03"))
		return error_cannot("the store %s is locked by another process (waited %u ms): let it finish, or name "
				    "another with --store", at, store->patience);
	if (has_class(state, "25006") || has_class(state, "42501"))
		return error_cannot("cannot write the store %s: %s; ask for the rights, or name another with --store", at, line);
	return error("store %s: %s", at, line);
}

/* ---- statements ------------------------------------------------------------------------------------------ */

/* Outside a transaction a lost connection is made anew. */
static int reconnect(struct store *store);

static int ensure(struct store *store)
{
	struct connection *c = connection_of(store);

	if (pq.PQstatus(c->db) != CONNECTION_BAD)
		return 0;
	if (c->open)
		return gone(store);
	return reconnect(store);
}

static int prepared_index(struct connection *c, const char *sql)
{
	for (int i = 0; i < CACHE; i++) {
		if (!c->cache[i].sql)
			c->cache[i].sql = sql;
		if (c->cache[i].sql == sql)
			return i;
	}
	return -1;
}

struct values {
	struct arena arena;
	const char *text[ARGS_MAX];
	int length[ARGS_MAX], format[ARGS_MAX];
	char number[ARGS_MAX][24];
};

static void set_values(struct values *v, const struct arg *args, size_t count)
{
	ASSERT(count <= ARGS_MAX);
	for (size_t i = 0; i < count; i++) {
		v->text[i] = NULL;
		v->length[i] = v->format[i] = 0;
		if (args[i].type == ARG_INT) {
			snprintf(v->number[i], sizeof(v->number[i]), "%lld", (long long)args[i].number);
			v->text[i] = v->number[i];
		} else if (args[i].type == ARG_TEXT) {
			v->text[i] = text_encode(&v->arena, args[i].text);
		} else if (args[i].type == ARG_BYTES) {
			v->text[i] = args[i].text;
			v->length[i] = (int)args[i].number;
			v->format[i] = 1;
		}
	}
}

static PGresult *execute(struct connection *c, const char *sql, const struct values *v, size_t count)
{
	int at = prepared_index(c, sql);
	char name[24];

	if (at < 0)
		return pq.PQexecParams(c->db, sql, (int)count, NULL, v->text, v->length, v->format, 0);
	snprintf(name, sizeof(name), "s%d", at);
	if (!c->cache[at].known) {
		PGresult *result = pq.PQprepare(c->db, name, sql, (int)count, NULL);

		if (pq.PQresultStatus(result) != PGRES_COMMAND_OK)
			return result;
		pq.PQclear(result);
		c->cache[at].known = true;
	}
	return pq.PQexecPrepared(c->db, name, (int)count, v->text, v->length, v->format, 0);
}

static struct cursor *cursor_of(struct store *store, PGresult *result)
{
	ExecStatusType status = pq.PQresultStatus(result);
	struct cursor *cursor;

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
		explain(store, result);
		pq.PQclear(result);
		return NULL;
	}
	cursor = calloc(1, sizeof(*cursor));
	ASSERT(cursor);
	*cursor = (struct cursor){ .result = result, .row = -1, .rows = pq.PQntuples(result), .plain = STRBUF_INIT };
	return cursor;
}

static struct cursor *pg_query(struct store *store, const char *sql, const struct arg *args, size_t count)
{
	struct values values = { .arena = ARENA_INIT };
	struct cursor *cursor = NULL;

	if (ensure(store))
		return NULL;
	set_values(&values, args, count);
	cursor = cursor_of(store, execute(connection_of(store), sql, &values, count));
	arena_free(&values.arena);
	return cursor;
}

static struct cursor *pg_query_once(struct store *store, const char *sql)
{
	return ensure(store) ? NULL : cursor_of(store, pq.PQexec(connection_of(store)->db, sql));
}

static void pg_stop(struct store *store, struct cursor *cursor)
{
	pq.PQclear(cursor->result);
	strbuf_release(&cursor->plain);
	free(cursor);
}

static int pg_next(struct store *store, struct cursor *cursor)
{
	if (++cursor->row < cursor->rows)
		return 1;
	pg_stop(store, cursor);
	return 0;
}

static int64_t pg_number(struct cursor *cursor, int column)
{
	return strtoll(pq.PQgetvalue(cursor->result, cursor->row, column), NULL, 10);
}

static bool pg_truth(struct cursor *cursor, int column)
{
	return *pq.PQgetvalue(cursor->result, cursor->row, column) == 't';
}

static const char *pg_text(struct cursor *cursor, int column)
{
	const char *text;

	if (pq.PQgetisnull(cursor->result, cursor->row, column))
		return NULL;
	text = pq.PQgetvalue(cursor->result, cursor->row, column);
	cursor->size = (size_t)pq.PQgetlength(cursor->result, cursor->row, column);
	if (!memchr(text, 0xf4, cursor->size))
		return text;
	text_decode(&cursor->plain, text);
	cursor->size = cursor->plain.len;
	return cursor->plain.buf;
}

static size_t pg_size(struct cursor *cursor, int column)
{
	return cursor->size;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10;
}

/* bytea comes as \x00ff... */
static void pg_bytes(struct cursor *cursor, int column, struct strbuf *out)
{
	const char *text = pg_text(cursor, column);

	for (text += 2; text[0] && text[1]; text += 2)
		strbuf_putc(out, (char)(hex_digit(text[0]) << 4 | hex_digit(text[1])));
}

/* ---- transactions --------------------------------------------------------------------------------------------- */

static int run_now(struct store *store, const char *sql)
{
	PGresult *result = pq.PQexec(connection_of(store)->db, sql);
	ExecStatusType status = pq.PQresultStatus(result);
	int failed = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK ? 0 : explain(store, result);

	pq.PQclear(result);
	return failed;
}

static int pg_begin(struct store *store, enum begin how)
{
	static const char *const begins[] = {
		[BEGIN_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		[BEGIN_WRITE] = "BEGIN; SELECT pg_advisory_xact_lock(" LOCK_TEXT ")",
	};
	struct connection *c = connection_of(store);

	if (ensure(store))
		return -1;
	if (run_now(store, begins[how])) {
		if (pq.PQstatus(c->db) != CONNECTION_BAD)
			pq.PQclear(pq.PQexec(c->db, "ROLLBACK"));
		return -1;
	}
	c->open = true;
	return 0;
}
_Static_assert(LOCK == 1145587028, "the number in LOCK_TEXT");

static int pg_commit(struct store *store)
{
	int result = run_now(store, "COMMIT");

	if (!result)
		connection_of(store)->open = false;
	return result;
}

static void pg_rollback(struct store *store)
{
	struct connection *c = connection_of(store);

	if (c->open && pq.PQstatus(c->db) != CONNECTION_BAD)
		pq.PQclear(pq.PQexec(c->db, "ROLLBACK"));
	c->open = false;
}

/* ---- opening -------------------------------------------------------------------------------------------------------- */

static void pg_set_patience(struct store *store, unsigned milliseconds)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "SET lock_timeout = %u", milliseconds ? milliseconds : 1);
	pq.PQclear(pq.PQexec(connection_of(store)->db, sql));
}

static int pg_version(struct store *store, int *version)
{
	int64_t number = 0;

	if (sql_number(store, "SELECT version FROM version", NO_ARGS, &number) < 0)
		return -1;
	*version = (int)number;
	return 0;
}

static int pg_set_version(struct store *store, int version)
{
	return sql_run(store, "UPDATE version SET version = $1", ARGS(INT(version)));
}

/* What a session needs each time it is connected. */
static int configure(struct store *store)
{
	struct connection *c = connection_of(store);

	for (int i = 0; i < CACHE; i++)
		c->cache[i].known = false;
	c->gone = c->listens = false;
	if (run_now(store, "SET search_path = deadheat; SET synchronous_commit = off; SET client_min_messages = error;"
			   " SET client_encoding = 'UTF8'; SET bytea_output = 'hex'"))
		return -1;
	pg_set_patience(store, store->patience);
	return 0;
}

static int reconnect(struct store *store)
{
	struct connection *c = connection_of(store);

	pq.PQreset(c->db);
	if (pq.PQstatus(c->db) == CONNECTION_BAD) {
		c->gone = true;
		return cannot_connect(store, pq.PQerrorMessage(c->db));
	}
	return configure(store);
}

static int has_tables(struct store *store, int64_t *count)
{
	return sql_number(store, "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'deadheat' AND"
				 " table_name = 'version'", NO_ARGS, count) == 1 ? 0 : -1;
}

/* The schema and its version 0; two that make it at once wait for each other at the lock. */
static int make_schema(struct store *store)
{
	int64_t count = 0;
	int result;

	if (pg_begin(store, BEGIN_WRITE))
		return -1;
	result = has_tables(store, &count);
	if (!result && !count)
		result = run_now(store, "CREATE SCHEMA IF NOT EXISTS deadheat") ||
			 run_now(store, "CREATE TABLE deadheat.version (version BIGINT NOT NULL)") ||
			 run_now(store, "INSERT INTO deadheat.version VALUES (0)") ? -1 : 0;
	return sql_end(store, result);
}

static int open_schema(struct store *store, bool create)
{
	int64_t count = 0;

	if (has_tables(store, &count))
		return -1;
	if (!count && !create)
		return error_cannot("no store at %s: run deadheat detect or hunt first, or name one with --store",
				    store->location);
	if (!count && make_schema(store))
		return -1;
	return schema_upgrade(store);
}

static void say_nothing(void *user, const char *message)
{
}

static int connect_to(struct store *store)
{
	struct connection *c = connection_of(store);
	const char *names[] = { "connect_timeout", "keepalives_idle", "tcp_user_timeout", "application_name", "dbname", NULL };
	const char *values[] = { "10", "30", "30000", "deadheat", c->url, NULL };

	c->db = pq.PQconnectdbParams(names, values, 1);
	if (!c->db)
		return error("cannot open the store %s: out of memory", store->location);
	if (pq.PQstatus(c->db) == CONNECTION_BAD)
		return cannot_connect(store, pq.PQerrorMessage(c->db));
	pq.PQsetNoticeProcessor(c->db, say_nothing, NULL);
	return configure(store);
}

static void pg_close(struct store *store)
{
	struct connection *c = connection_of(store);

	if (c->db)
		pq.PQfinish(c->db);
	free(c->url);
	free(c);
	store->connection = NULL;
}

static int pg_open(struct store *store, bool create)
{
	struct connection *c = calloc(1, sizeof(*c));

	ASSERT(c);
	store->connection = c;
	c->url = strdup(store->location);
	store_hide_password(store->location);
	if (!load_libpq(store->location) && !connect_to(store) && !open_schema(store, create))
		return 0;
	pg_close(store);
	return -1;
}

/* ---- waiting for each other ------------------------------------------------------------------------------------------- */

/* Was there news? Also what came along with an earlier answer. */
static bool drain(struct connection *c)
{
	PGnotify *notify;
	bool any = false;

	pq.PQconsumeInput(c->db);
	while ((notify = pq.PQnotifies(c->db))) {
		pq.PQfreemem(notify);
		any = true;
	}
	return any;
}

/* One packet when there is news and none when there is not: an idle worker costs the server nothing. */
static void pg_wait(struct store *store, unsigned milliseconds)
{
	struct connection *c = connection_of(store);
	struct pollfd ready = { .events = POLLIN };

	if (!c->gone && !c->listens && !ensure(store) && !run_now(store, "LISTEN deadheat"))
		c->listens = true;
	if (!c->gone && drain(c))
		return;
	ready.fd = c->gone ? -1 : pq.PQsocket(c->db);
	if (poll(&ready, 1, (int)milliseconds) > 0)
		drain(c);
}

static int pg_wake(struct store *store)
{
	return run_now(store, "NOTIFY deadheat");
}

/* Keys are the server's business; reading every row is what we can do. */
static int pg_check(struct store *store)
{
	int64_t bytes;

	return sql_number(store, "SELECT coalesce(sum(length(details)), 0) + (SELECT coalesce(sum(hash::numeric), 0) FROM trial)"
				 " FROM finding", NO_ARGS, &bytes) == 1 ? 0 : -1;
}

static bool pg_is_gone(const struct store *store)
{
	const struct connection *c = store->connection;

	return c->gone;
}

/* What the two dialects name differently, in the statements of schema.c; the first match counts. */
static const struct dialect words[] = {
	{ "INTEGER PRIMARY KEY REFERENCES", "BIGINT PRIMARY KEY REFERENCES" },
	{ "INTEGER PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY" },
	{ "INTEGER", "BIGINT" },
	{ " WITHOUT ROWID", "" },
	{ "BLOB", "BYTEA" },
	{ NULL, NULL },
};

const struct engine engine_postgresql = {
	.dialect = words,
	.skips_locked = true,
	.open = pg_open,
	.close = pg_close,
	.version = pg_version,
	.set_version = pg_set_version,
	.query = pg_query,
	.query_once = pg_query_once,
	.next = pg_next,
	.stop = pg_stop,
	.number = pg_number,
	.truth = pg_truth,
	.text = pg_text,
	.size = pg_size,
	.bytes = pg_bytes,
	.begin = pg_begin,
	.commit = pg_commit,
	.rollback = pg_rollback,
	.set_patience = pg_set_patience,
	.wait = pg_wait,
	.wake = pg_wake,
	.check = pg_check,
	.is_gone = pg_is_gone,
};
