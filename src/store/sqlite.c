/*
 * sqlite - the engine of a store that is a folder: store.db, WAL.
 *
 * WAL with synchronous=NORMAL: a kill at any moment loses nothing committed; a power cut
 * may lose the last transactions but never damages the file. Readers and one writer do
 * not wait for each other; a second writer waits as long as store->patience says.
 * store.lock beside it is held while one opens or closes (see enter_gate).
 *
 * I1  A busy cursor is not handed out again: a nested use of one text gets its own.
 * I2  Every failure ends in explain(), so that each has one line that says what to do.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "store/internal.h"

#define APPLICATION 0x44484554  /* "DHET": not just any SQLite file */
#define NAP_MS 100              /* between two looks for work */
#define ARGS_MAX 16
#define CACHE 128               /* more than there are statements in this folder */

/* A prepared statement; kept for the next time unless the cache is full. */
struct cursor {
	const char *sql;
	sqlite3_stmt *statement;
	int index[ARGS_MAX]; /* of $1, $2 ...: SQLite counts them as it meets them */
	bool busy, kept;
};

struct connection {
	sqlite3 *db;
	uint64_t waits_since; /* monotonic ms, when the present wait began */
	int gate;             /* store.lock; -1 where it cannot be made */
	bool full;            /* the disk had no room */
	struct cursor cache[CACHE];
};

static struct connection *connection_of(struct store *store)
{
	return store->connection;
}

/* ---- what went wrong ------------------------------------------------------------ */

static int disk_full(struct store *store)
{
	connection_of(store)->full = true;
	return error_cannot("disk full while writing the store %s: free some space and run again, what was finished is kept",
			    store->location);
}

static int explain(struct store *store, int code)
{
	const char *at = store->location;
	sqlite3 *db = connection_of(store)->db;

	switch (code & 0xff) {
	case SQLITE_FULL:
		return disk_full(store);
	case SQLITE_IOERR:
		if (sqlite3_system_errno(db) == ENOSPC || code == SQLITE_IOERR_SHMSIZE)
			return disk_full(store);
		return code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC
			       ? error_cannot("cannot write the store %s (disk, quota or file size limit): make room and run "
					      "again, what was finished is kept", at)
			       : error_cannot("cannot read the store %s: %s; check the disk", at, sqlite3_errmsg(db));
	case SQLITE_READONLY:
	case SQLITE_PERM:
		if (connection_of(store)->full)
			return disk_full(store);
		return error_cannot("cannot write the store %s: it is read-only; make it writable or name another "
				    "with --store", at);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_cannot("the store %s is locked by another process (waited %u ms): let it finish, or name "
				    "another with --store", at, store->patience);
	case SQLITE_CANTOPEN:
		return error_cannot("cannot open %s/store.db: %s; check the permissions or name another with --store",
				    at, strerror(sqlite3_system_errno(db) ? sqlite3_system_errno(db) : errno));
	case SQLITE_NOTADB:
		return error_cannot("%s/store.db is not a deadheat store: move it away or name another with --store", at);
	case SQLITE_CORRUPT:
		return error_cannot("the store %s is damaged (%s): move it away and run again", at, sqlite3_errmsg(db));
	default:
		return error("store %s: %s", at, sqlite3_errmsg(db));
	}
}

/* ---- statements ------------------------------------------------------------------- */

/* An idle one of this text, else an empty one, else a temporary one. */
static struct cursor *find_cursor(struct connection *c, const char *sql)
{
	struct cursor *cursor;

	for (size_t i = 0; i < CACHE; i++)
		if (!c->cache[i].busy && (c->cache[i].sql == sql || !c->cache[i].sql)) {
			c->cache[i].kept = true;
			return &c->cache[i];
		}
	cursor = calloc(1, sizeof(*cursor));
	ASSERT(cursor);
	return cursor;
}

static void give_back(struct cursor *cursor)
{
	sqlite3_reset(cursor->statement);
	if (cursor->statement)
		sqlite3_clear_bindings(cursor->statement);
	cursor->busy = false;
	if (cursor->kept)
		return;
	sqlite3_finalize(cursor->statement);
	free(cursor);
}

static void find_arguments(struct cursor *cursor)
{
	char name[8];

	for (int i = 0; i < ARGS_MAX; i++) {
		snprintf(name, sizeof(name), "$%d", i + 1);
		cursor->index[i] = sqlite3_bind_parameter_index(cursor->statement, name);
	}
}

static int bind(struct cursor *cursor, const struct arg *args, size_t count)
{
	sqlite3_stmt *statement = cursor->statement;
	int code = SQLITE_OK;

	ASSERT(count <= ARGS_MAX);
	for (size_t i = 0; i < count && code == SQLITE_OK; i++) {
		int at = cursor->index[i];

		if (args[i].type == ARG_INT)
			code = sqlite3_bind_int64(statement, at, args[i].number);
		else if (args[i].type == ARG_TEXT)
			code = sqlite3_bind_text(statement, at, args[i].text, -1, SQLITE_TRANSIENT);
		else if (args[i].type == ARG_BYTES)
			code = sqlite3_bind_blob64(statement, at, args[i].text, (sqlite3_uint64)args[i].number,
						   SQLITE_TRANSIENT);
	}
	return code;
}

static struct cursor *sqlite_query(struct store *store, const char *sql, const struct arg *args, size_t count)
{
	struct cursor *cursor = find_cursor(connection_of(store), sql);
	int code = SQLITE_OK;

	if (!cursor->statement) {
		code = sqlite3_prepare_v3(connection_of(store)->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
					  &cursor->statement, NULL);
		find_arguments(cursor);
	}
	if (code == SQLITE_OK)
		code = bind(cursor, args, count);
	if (code == SQLITE_OK) {
		cursor->sql = sql;
		cursor->busy = true;
		return cursor;
	}
	explain(store, code);
	give_back(cursor);
	return NULL;
}

/* Not kept: the text is the caller's and will be another the next time. */
static struct cursor *sqlite_query_once(struct store *store, const char *sql)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));
	int code;

	ASSERT(cursor);
	code = sqlite3_prepare_v3(connection_of(store)->db, sql, -1, 0, &cursor->statement, NULL);
	if (code == SQLITE_OK)
		return cursor;
	explain(store, code);
	give_back(cursor);
	return NULL;
}

static int sqlite_next(struct store *store, struct cursor *cursor)
{
	int code = sqlite3_step(cursor->statement);

	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		explain(store, code);
	give_back(cursor);
	return code == SQLITE_DONE ? 0 : -1;
}

static void sqlite_stop(struct store *store, struct cursor *cursor)
{
	give_back(cursor);
}

static int64_t sqlite_number(struct cursor *cursor, int column)
{
	return sqlite3_column_int64(cursor->statement, column);
}

static bool sqlite_truth(struct cursor *cursor, int column)
{
	return sqlite_number(cursor, column) != 0;
}

static const char *sqlite_text(struct cursor *cursor, int column)
{
	return (const char *)sqlite3_column_text(cursor->statement, column);
}

static size_t sqlite_size(struct cursor *cursor, int column)
{
	return (size_t)sqlite3_column_bytes(cursor->statement, column);
}

static void sqlite_bytes(struct cursor *cursor, int column, struct strbuf *out)
{
	strbuf_add(out, sqlite3_column_blob(cursor->statement, column),
		   (size_t)sqlite3_column_bytes(cursor->statement, column));
}

/* ---- transactions -------------------------------------------------------------------- */

static int sqlite_begin(struct store *store, enum begin how)
{
	return sql_run(store, how == BEGIN_READ ? "BEGIN" : "BEGIN IMMEDIATE", NO_ARGS);
}

static int sqlite_commit(struct store *store)
{
	return sql_run(store, "COMMIT", NO_ARGS);
}

/* The first message counts, so this leaves none; SQLite may have rolled back already. */
static void sqlite_rollback(struct store *store)
{
	sqlite3_exec(connection_of(store)->db, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- opening --------------------------------------------------------------------------- */

static int sqlite_version(struct store *store, int *version)
{
	int64_t number = 0;

	if (sql_number(store, "PRAGMA user_version", NO_ARGS, &number) < 0)
		return -1;
	*version = (int)number;
	return 0;
}

static int sqlite_set_version(struct store *store, int version)
{
	char sql[64];
	int code;

	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", version);
	code = sqlite3_exec(connection_of(store)->db, sql, NULL, NULL, NULL);
	return code == SQLITE_OK ? 0 : explain(store, code);
}

/*
 * Somebody else's database must not get our tables. The mark is set before the first
 * table, so tables are counted before the mark is read: two that create one store at
 * once do not take each other for strangers.
 */
static int check_owner(struct store *store)
{
	int64_t application = 0, tables = 0;

	if (sql_number(store, "SELECT count(*) FROM sqlite_schema", NO_ARGS, &tables) < 0 ||
	    sql_number(store, "PRAGMA application_id", NO_ARGS, &application) < 0)
		return -1;
	if (application == APPLICATION)
		return 0;
	if (tables)
		return explain(store, SQLITE_NOTADB);
	return sql_run(store, "PRAGMA application_id = 1145587028", NO_ARGS);
}
_Static_assert(APPLICATION == 1145587028, "the number in check_owner");

/*
 * Short naps of random length. SQLite's own handler naps longer and longer, up to 100 ms, while
 * a newcomer naps 1 ms: with eight writers on a slow disk the one that has waited longest gets
 * nothing until its time is up.
 */
static int nap(void *user, int tries)
{
	struct store *store = user;
	struct connection *c = connection_of(store);
	uint64_t now = monotonic_ms();

	if (!tries)
		c->waits_since = now;
	if (now - c->waits_since >= store->patience)
		return 0;
	nanosleep(&(struct timespec){ .tv_nsec = 500000 + (long)(rand() % 4000) * 1000 }, NULL);
	return 1;
}

static void sqlite_set_patience(struct store *store, unsigned milliseconds)
{
	sqlite3_busy_handler(connection_of(store)->db, milliseconds ? nap : NULL, store);
}

/* deadheat_now(): milliseconds since 1970, by the clock all users of the store share. */
static void tell_time(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	sqlite3_result_int64(context, (sqlite3_int64)now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

static int configure(struct store *store, bool writable)
{
	sqlite3 *db = connection_of(store)->db;
	int code;

	sqlite_set_patience(store, store->patience);
	sqlite3_extended_result_codes(db, 1);
	sqlite3_create_function(db, "deadheat_now", 0, SQLITE_UTF8, NULL, tell_time, NULL, NULL);
	code = sqlite3_exec(db, writable ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON"
				: "PRAGMA query_only = ON", NULL, NULL, NULL);
	if (code != SQLITE_OK)
		return explain(store, code);
	return check_owner(store) || schema_upgrade(store) ? -1 : 0;
}

static int open_file(struct store *store, const char *name, int flags)
{
	int code = sqlite3_open_v2(name, &connection_of(store)->db, flags, NULL);

	return code == SQLITE_OK ? 0 : explain(store, code);
}

/*
 * A store on read-only media can still be read: immutable, since WAL needs to write its
 * index beside it. Writing to it then fails with the line for read-only stores.
 */
static int open_read_only(struct store *store, const char *file)
{
	char *uri = sqlite3_mprintf("file:%s?immutable=1", file);
	int result = open_file(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);

	sqlite3_free(uri);
	return result ? result : configure(store, false);
}

static bool has_file(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

/*
 * The gate: one process at a time opens or closes a store. Switching to WAL and removing the
 * log after the last one need the file alone, and SQLite then says "busy" at once instead of
 * asking nap(). Released by the kernel however its holder dies; where there can be no such file
 * (read-only media) nobody writes.
 */
static bool enter_gate(struct store *store)
{
	struct connection *c = connection_of(store);
	char *path = sqlite3_mprintf("%s/store.lock", store->location);

	c->gate = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	sqlite3_free(path);
	for (int tries = 0; c->gate >= 0 && flock(c->gate, LOCK_EX | LOCK_NB); tries++)
		if (!nap(store, tries))
			return false;
	return true;
}

static void leave_gate(struct store *store)
{
	struct connection *c = connection_of(store);

	if (c->gate >= 0)
		close(c->gate);
	c->gate = -1;
}

static int open_writable(struct store *store, const char *file, int flags)
{
	int result = enter_gate(store) ? open_file(store, file, flags) || configure(store, true) ? -1 : 0
				       : explain(store, SQLITE_BUSY);

	leave_gate(store);
	return result;
}

static void close_file(struct connection *c)
{
	for (size_t i = 0; i < CACHE; i++)
		sqlite3_finalize(c->cache[i].statement);
	memset(c->cache, 0, sizeof(c->cache));
	sqlite3_close(c->db);
	c->db = NULL;
}

/*
 * WAL needs room for its index even to read. Without any, the file as it stands is all there is when the log is
 * empty: what was found can be read on a full disk. Writing to it then fails with the line for full disks.
 */
static int open_on_full_disk(struct store *store, const char *file)
{
	struct stat log;
	char *name = sqlite3_mprintf("%s-wal", file);
	bool holds = !stat(name, &log) && log.st_size;

	sqlite3_free(name);
	if (holds)
		return -1;
	close_file(connection_of(store));
	return open_read_only(store, file);
}

static void sqlite_close(struct store *store)
{
	struct connection *c = connection_of(store);

	if (c->db)
		enter_gate(store); /* or not, when its holder stands still: SQLite copes */
	close_file(c);
	leave_gate(store);
	free(c);
	store->connection = NULL;
}

static int sqlite_open(struct store *store, bool create)
{
	char *file = sqlite3_mprintf("%s/store.db", store->location);
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	int result;

	store->connection = calloc(1, sizeof(struct connection));
	ASSERT(store->connection);
	if (!create && !has_file(file))
		result = error_cannot("no store at %s: run deadheat detect or hunt first, or name one with --store",
				      store->location);
	else if (!create && access(store->location, W_OK))
		result = open_read_only(store, file);
	else
		result = open_writable(store, file, flags);
	if (result && !create && connection_of(store)->full)
		result = open_on_full_disk(store, file);
	sqlite3_free(file);
	if (result)
		sqlite_close(store);
	return result;
}

const char *store_library(void)
{
	static char name[64];

	snprintf(name, sizeof(name), "SQLite %s", sqlite3_libversion());
	return name;
}

/* Nobody calls across a file: look again soon. */
static void sqlite_wait(struct store *store, unsigned milliseconds)
{
	unsigned most = milliseconds < NAP_MS ? milliseconds : NAP_MS;

	nanosleep(&(struct timespec){ .tv_nsec = (long)most * 1000000 }, NULL);
}

static int sqlite_wake(struct store *store)
{
	return 0;
}

static int sqlite_check(struct store *store)
{
	struct cursor *c = sqlite_query(store, "PRAGMA integrity_check(1)", NO_ARGS);
	int64_t orphans = 0;
	int found = c ? sqlite_next(store, c) : -1, whole;

	if (found <= 0)
		return -1;
	whole = !strcmp(sqlite_text(c, 0), "ok");
	if (!whole)
		error_cannot("the store %s is damaged (%s): move it away and run again", store->location, sqlite_text(c, 0));
	sqlite_stop(store, c);
	if (!whole || sql_number(store, "SELECT count(*) FROM pragma_foreign_key_check", NO_ARGS, &orphans) < 0)
		return -1;
	return orphans ? error("the store %s is damaged: %lld rows point to nothing", store->location, (long long)orphans) : 0;
}

static bool sqlite_is_gone(const struct store *store)
{
	return false;
}

const struct engine engine_sqlite = {
	.has_folder = true,
	.open = sqlite_open,
	.version = sqlite_version,
	.set_version = sqlite_set_version,
	.close = sqlite_close,
	.query = sqlite_query,
	.query_once = sqlite_query_once,
	.next = sqlite_next,
	.stop = sqlite_stop,
	.number = sqlite_number,
	.truth = sqlite_truth,
	.text = sqlite_text,
	.size = sqlite_size,
	.bytes = sqlite_bytes,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.set_patience = sqlite_set_patience,
	.wait = sqlite_wait,
	.wake = sqlite_wake,
	.check = sqlite_check,
	.is_gone = sqlite_is_gone,
};
