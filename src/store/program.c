/*
 * program - command lines, runs and their counters.
 *
 * One program is one (path, build, folder, arguments, environment); what a session sets
 * by itself (window size, shell level, ...) does not make another one of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"

/* Variables of the terminal session, not of the program under test. */
static const char *const session_variables[] = {
	"_=", "SHLVL=", "PWD=", "OLDPWD=", "COLUMNS=", "LINES=", "WINDOWID=", "TERM=", "SSH_", "XDG_SESSION_",
	"DBUS_SESSION_", "PS1=", "PROMPT_COMMAND=", "MAKEFLAGS=", "MAKELEVEL=", "MFLAGS=", "DEADHEAT_",
};

static bool is_session_variable(const char *entry)
{
	for (size_t i = 0; i < sizeof(session_variables) / sizeof(session_variables[0]); i++)
		if (!strncmp(entry, session_variables[i], strlen(session_variables[i])))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Order does not matter, so sort; a hash, since environments are long and the key is compared only. */
static uint64_t hash_environment(struct arena *arena, char **envp)
{
	uint64_t h = 0xcbf29ce484222325ull;
	size_t count = 0;
	char **sorted;

	while (envp && envp[count])
		count++;
	sorted = count ? arena_copy(arena, envp, count * sizeof(char *)) : NULL;
	if (count)
		qsort(sorted, count, sizeof(char *), by_name);
	for (size_t i = 0; i < count; i++)
		for (const char *p = is_session_variable(sorted[i]) ? NULL : sorted[i]; p; p = *p ? p + 1 : NULL)
			h = (h ^ (unsigned char)*p) * 0x100000001b3ull;
	return h;
}

static int put_program(struct store *store, struct arena *arena, struct store_program *p)
{
	struct strbuf key = STRBUF_INIT, argv = STRBUF_INIT, envp = STRBUF_INIT;
	int found;

	pack_strings(&argv, p->argv);
	pack_strings(&envp, p->envp);
	pack_strings(&key, (char *[]){ (char *)p->path, (char *)p->build_id, (char *)p->cwd, argv.buf, NULL });
	strbuf_printf(&key, "\t%016llx", (unsigned long long)hash_environment(arena, p->envp));
	found = sql_number(store, "INSERT INTO program (key, path, build_id, cwd, argv, envp, used)"
				  " VALUES ($1, $2, $3, $4, $5, $6, (SELECT coalesce(max(used), 0) + 1 FROM program))"
				  " ON CONFLICT (key) DO UPDATE SET used = excluded.used RETURNING id",
			   ARGS(TEXT(key.buf), TEXT(p->path), TEXT(p->build_id), TEXT(p->cwd), TEXT(argv.buf),
				TEXT(envp.buf)), &p->id);
	strbuf_release(&key);
	strbuf_release(&argv);
	strbuf_release(&envp);
	return found == 1 ? 0 : -1;
}

int store_put_program(struct store *store, struct store_program *program)
{
	struct arena arena = ARENA_INIT;
	int result;

	if (sql_begin(store))
		return -1;
	result = sql_end(store, put_program(store, &arena, program));
	arena_free(&arena);
	return result;
}

static void read_program(const struct engine *e, struct cursor *c, struct arena *arena, struct store_program *p)
{
	p->id = e->number(c, 0);
	p->path = arena_strdup(arena, e->text(c, 1));
	p->build_id = arena_strdup(arena, e->text(c, 2));
	p->cwd = arena_strdup(arena, e->text(c, 3));
	p->argv = unpack_strings(arena, arena_strdup(arena, e->text(c, 4)));
	p->envp = unpack_strings(arena, arena_strdup(arena, e->text(c, 5)));
}

int store_get_program(struct store *store, struct arena *arena, int64_t id, struct store_program *program)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT id, path, build_id, cwd, argv, envp FROM program"
					   " WHERE id = $1 OR $1 = 0 ORDER BY used DESC LIMIT 1", ARGS(INT(id)));
	int found = c ? e->next(store, c) : -1;

	if (found <= 0)
		return found;
	read_program(e, c, arena, program);
	e->stop(store, c);
	return 1;
}

/* A name no run of another machine or store has: so that a store can be merged twice (transfer.c). */
static void name_run(char name[128])
{
	char host[64] = "";
	struct timespec now;

	gethostname(host, sizeof(host) - 1);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, 128, "%s %d %lld.%09ld", host, (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
}

int store_begin_run(struct store *store, const char *stage, int64_t program, int64_t *run)
{
	char origin[128];

	name_run(origin);
	if (sql_number(store, "INSERT INTO run (stage, program, began, origin) VALUES ($1, $2, $3, $4) RETURNING id",
		       ARGS(TEXT(stage), REF(program), INT(time(NULL)), TEXT(origin)), run) != 1)
		return -1;
	store->program = program;
	store->run = *run;
	return 0;
}

int store_end_run(struct store *store, int64_t run, const char *exit_status)
{
	return sql_run(store, "UPDATE run SET ended = $1, exit_status = $2 WHERE id = $3",
		       ARGS(INT(time(NULL)), TEXT(exit_status), INT(run)));
}

int store_put_counter(struct store *store, int64_t run, const char *name, uint64_t value)
{
	return sql_run(store, "INSERT INTO counter (run, name, value) VALUES ($1, $2, $3)"
			      " ON CONFLICT (run, name) DO UPDATE SET value = counter.value + excluded.value",
		       ARGS(INT(run), TEXT(name), INT(value)));
}

#define FINDINGS_AND_PROGRAMS " FROM finding f LEFT JOIN run r ON r.id = f.last_run LEFT JOIN program p ON p.id = r.program"

int store_is_of_program(struct store *store, const char *id, const char *path)
{
	int64_t count = 0;

	if (sql_number(store, "SELECT count(*)" FINDINGS_AND_PROGRAMS
			      " WHERE f.id = $1 AND (p.path IS NULL OR p.path = $2)",
		       ARGS(TEXT(id), TEXT(path)), &count) < 0)
		return -1;
	return count > 0;
}

int store_is_of_command(struct store *store, const char *id, int64_t program)
{
	int64_t count = 0;

	if (sql_number(store, "SELECT count(*)" FINDINGS_AND_PROGRAMS
			      " WHERE f.id = $1 AND (p.path IS NULL OR EXISTS (SELECT 1 FROM program q WHERE q.id = $2"
			      " AND q.path = p.path AND q.argv = p.argv AND q.cwd = p.cwd))",
		       ARGS(TEXT(id), INT(program)), &count) < 0)
		return -1;
	return count > 0;
}

int store_program_of(struct store *store, const char *id, int64_t *program)
{
	*program = 0;
	return sql_number(store, "SELECT COALESCE(p.id, 0)" FINDINGS_AND_PROGRAMS " WHERE f.id = $1", ARGS(TEXT(id)), program);
}

int store_programs(struct store *store, struct arena *arena, int64_t **ids, size_t *count)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT max(p.id)" FINDINGS_AND_PROGRAMS " WHERE p.id IS NOT NULL"
					   " GROUP BY p.path, p.argv, p.cwd ORDER BY max(p.used) DESC", NO_ARGS);
	VEC(int64_t) found = { 0 };
	int more = -1;

	while (c && (more = e->next(store, c)) > 0)
		VEC_PUSH(&found, e->number(c, 0));
	*ids = arena_copy(arena, found.items, found.count * sizeof(**ids));
	*count = found.count;
	VEC_FREE(&found);
	return more;
}
