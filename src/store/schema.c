/*
 * schema - the tables, and how an older store becomes a newer one. docs/store.md
 * describes each column.
 *
 * How to change a table: raise STORE_VERSION, append one step. A step is never edited
 * after a release; a new store goes through all of them. The steps are written in SQLite's
 * words; an engine that has others gives a table of them (struct dialect), and a statement
 * that only one kind of engine needs begins with its mark.
 *
 * A finding is a candidate, a deadlock or a failure; number 0 stands for trials that are
 * directed at none (fuzz). Tallies are kept while trials come in, so that a million
 * trials need not be counted to print a list.
 */
#include <string.h>

#include "base/error.h"
#include "store/internal.h"

#define SERVER_ONLY "@"

static const char *const version_1[] = {
	"CREATE TABLE program (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, path TEXT NOT NULL,"
	" build_id TEXT NOT NULL, cwd TEXT NOT NULL, argv TEXT NOT NULL, envp TEXT NOT NULL, used INTEGER NOT NULL)",
	"CREATE TABLE run (id INTEGER PRIMARY KEY, stage TEXT NOT NULL, program INTEGER REFERENCES program(id),"
	" began INTEGER NOT NULL, ended INTEGER, exit_status TEXT)",
	"CREATE TABLE counter (run INTEGER NOT NULL REFERENCES run(id), name TEXT NOT NULL, value INTEGER NOT NULL,"
	" PRIMARY KEY (run, name)) WITHOUT ROWID",
	"CREATE TABLE finding (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL,"
	" rung INTEGER NOT NULL, found_by INTEGER NOT NULL, title TEXT NOT NULL, trials INTEGER NOT NULL DEFAULT 0,"
	" hits INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL DEFAULT 0, first_seen INTEGER NOT NULL,"
	" last_seen INTEGER NOT NULL, first_run INTEGER REFERENCES run(id), last_run INTEGER REFERENCES run(id),"
	" suppressed TEXT, details TEXT NOT NULL)",
	"CREATE TABLE climb (finding INTEGER NOT NULL REFERENCES finding(number), rung INTEGER NOT NULL,"
	" at INTEGER NOT NULL, run INTEGER REFERENCES run(id), PRIMARY KEY (finding, rung)) WITHOUT ROWID",
	"CREATE TABLE word (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
	"CREATE TABLE trial (finding INTEGER NOT NULL REFERENCES finding(number),"
	" program INTEGER NOT NULL REFERENCES program(id), policy INTEGER NOT NULL REFERENCES word(number),"
	" seed INTEGER NOT NULL, outcome INTEGER NOT NULL REFERENCES word(number), flags INTEGER NOT NULL,"
	" steps INTEGER NOT NULL, hash INTEGER NOT NULL, run INTEGER NOT NULL REFERENCES run(id),"
	" PRIMARY KEY (finding, program, policy, seed)) WITHOUT ROWID",
	"CREATE TABLE tally (finding INTEGER NOT NULL REFERENCES finding(number),"
	" outcome INTEGER NOT NULL REFERENCES word(number), count INTEGER NOT NULL, a_first INTEGER NOT NULL,"
	" b_first INTEGER NOT NULL, harm INTEGER NOT NULL, PRIMARY KEY (finding, outcome)) WITHOUT ROWID",
	"CREATE TABLE witness (finding INTEGER PRIMARY KEY REFERENCES finding(number), seed INTEGER NOT NULL,"
	" policy TEXT NOT NULL, steps INTEGER NOT NULL, switches INTEGER NOT NULL, outcome TEXT NOT NULL,"
	" program INTEGER REFERENCES program(id))",
	"INSERT INTO finding (number, id, kind, rung, found_by, title, first_seen, last_seen, details)"
	" VALUES (0, '', 0, 0, 0, '', 0, 0, '')",
	NULL,
};

/* Suppressions are a file for version control (suppress.h), not a column. */
static const char *const version_2[] = {
	"ALTER TABLE finding DROP COLUMN suppressed",
	NULL,
};

/*
 * Campaigns (campaign.c, lease.c), a name for a run that holds over stores (transfer.c), and
 * the schedules of stores that have no folder. deadheat_now() is a function of the engine
 * (sqlite.c) or of the database.
 */
static const char *const version_3[] = {
	SERVER_ONLY "CREATE FUNCTION deadheat_now() RETURNS BIGINT LANGUAGE SQL VOLATILE AS"
		    " 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'",
	"ALTER TABLE run ADD COLUMN origin TEXT",
	"UPDATE run SET origin = 'run ' || id || ' of ' || began",
	"CREATE UNIQUE INDEX run_origin ON run (origin)",
	"CREATE TABLE schedule (finding INTEGER PRIMARY KEY REFERENCES finding(number), bytes BLOB NOT NULL)",
	"CREATE TABLE campaign (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
	" program INTEGER NOT NULL REFERENCES program(id), seed INTEGER NOT NULL, trials INTEGER NOT NULL,"
	" ms INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0, round INTEGER NOT NULL DEFAULT 0,"
	" done INTEGER NOT NULL DEFAULT 0, spent INTEGER NOT NULL DEFAULT 0, began INTEGER NOT NULL,"
	" ended INTEGER NOT NULL DEFAULT 0, plan TEXT NOT NULL)",
	"CREATE TABLE target (campaign INTEGER NOT NULL REFERENCES campaign(id),"
	" finding INTEGER NOT NULL REFERENCES finding(number), plan TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0,"
	" goal INTEGER NOT NULL DEFAULT 0, base INTEGER NOT NULL DEFAULT 0, hits INTEGER NOT NULL DEFAULT 0, a_first INTEGER NOT NULL DEFAULT 0,"
	" b_first INTEGER NOT NULL DEFAULT 0, harm INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (campaign, finding))"
	" WITHOUT ROWID",
	"CREATE TABLE worker (id INTEGER PRIMARY KEY, name TEXT NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL,"
	" born INTEGER NOT NULL, jobs INTEGER NOT NULL, core INTEGER NOT NULL, began INTEGER NOT NULL, seen INTEGER NOT NULL,"
	" busy INTEGER NOT NULL DEFAULT 0, trials INTEGER NOT NULL DEFAULT 0, campaign INTEGER NOT NULL DEFAULT 0)",
	"CREATE TABLE lease (id INTEGER PRIMARY KEY, campaign INTEGER NOT NULL REFERENCES campaign(id),"
	" finding INTEGER NOT NULL REFERENCES finding(number), first INTEGER NOT NULL, count INTEGER NOT NULL,"
	" done INTEGER NOT NULL DEFAULT 0, worker INTEGER NOT NULL DEFAULT 0, expires INTEGER NOT NULL DEFAULT 0)",
	"CREATE INDEX lease_of ON lease (campaign, worker)",
	NULL,
};

/* Step i brings version i to version i + 1. */
static const char *const *const steps[STORE_VERSION] = { version_1, version_2, version_3 };

/* The first word of the dialect that stands here; NULL: none. */
static const struct dialect *word_at(const struct dialect *dialect, const char *text)
{
	for (; dialect && dialect->from; dialect++)
		if (!strncmp(text, dialect->from, strlen(dialect->from)))
			return dialect;
	return NULL;
}

static void translate(struct strbuf *out, const struct dialect *dialect, const char *text)
{
	while (*text) {
		const struct dialect *word = word_at(dialect, text);

		if (word) {
			strbuf_puts(out, word->to);
			text += strlen(word->from);
		} else {
			strbuf_putc(out, *text++);
		}
	}
}

static int run_statement(struct store *store, const char *statement)
{
	struct strbuf sql = STRBUF_INIT;
	int result;

	if (*statement == *SERVER_ONLY) {
		if (store->engine->has_folder)
			return 0;
		statement++;
	}
	translate(&sql, store->engine->dialect, statement);
	result = sql_run_once(store, sql.buf);
	strbuf_release(&sql);
	return result;
}

static int run_step(struct store *store, const char *const *statements)
{
	for (; *statements; statements++)
		if (run_statement(store, *statements))
			return -1;
	return 0;
}

static int check_version(struct store *store, int *version)
{
	if (store->engine->version(store, version))
		return -1;
	if (*version > STORE_VERSION)
		return error_cannot("the store %s is of version %d, this deadheat knows up to %d: use the newer deadheat "
				    "or name another store with --store", store->location, *version, STORE_VERSION);
	return 0;
}

/* The version is read again inside the transaction: another process may have been faster. */
int schema_upgrade(struct store *store)
{
	int version, result;

	if (check_version(store, &version))
		return -1;
	if (version == STORE_VERSION)
		return 0;
	if (sql_begin(store))
		return -1;
	result = check_version(store, &version);
	for (; !result && version < STORE_VERSION; version++)
		result = run_step(store, steps[version]);
	if (!result)
		result = store->engine->set_version(store, STORE_VERSION);
	return sql_end(store, result);
}
