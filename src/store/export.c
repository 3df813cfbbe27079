/* export - see transfer.h: a store as JSON lines, in an order in which each line knows what it refers to. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "store/internal.h"
#include "store/transfer.h"

#define TRIALS_AT_ONCE 20000 /* rows of one query: a server sends them all before the first is seen */

struct export {
	struct store *store;
	FILE *out;
	struct arena arena;  /* of one line */
	struct strbuf line;
	struct json json;
	uint64_t findings, trials;
};

static void begin_line(struct export *x, const char *type)
{
	strbuf_reset(&x->line);
	x->json = (struct json)JSON_INIT(&x->line);
	json_begin(&x->json, '{');
	json_key(&x->json, "type");
	json_text(&x->json, type);
}

static int end_line(struct export *x)
{
	json_end(&x->json, '}');
	strbuf_putc(&x->line, '\n');
	fwrite(x->line.buf, 1, x->line.len, x->out);
	arena_free(&x->arena);
	return ferror(x->out) ? error("cannot write the export: is the disk full?") : 0;
}

static void put_text(struct export *x, const char *key, const char *text)
{
	json_key(&x->json, key);
	json_text(&x->json, text ? text_encode(&x->arena, text) : NULL);
}

static void put_number(struct export *x, const char *key, int64_t number)
{
	json_key(&x->json, key);
	json_number(&x->json, number);
}

/* 64 bits in hex: JSON's numbers are often read as doubles. */
static void put_hex(struct export *x, const char *key, int64_t number)
{
	put_text(x, key, arena_printf(&x->arena, "%016llx", (unsigned long long)number));
}

/* A column that may be null is left out then. */
static void put_reference(struct export *x, const char *key, struct cursor *c, int column)
{
	if (x->store->engine->text(c, column))
		put_number(x, key, x->store->engine->number(c, column));
}

static void put_strings(struct export *x, const char *key, const char *packed)
{
	char **strings = unpack_strings(&x->arena, arena_strdup(&x->arena, packed));

	json_key(&x->json, key);
	json_begin(&x->json, '[');
	for (; *strings; strings++)
		json_text(&x->json, text_encode(&x->arena, *strings));
	json_end(&x->json, ']');
}

/* ---- one kind of line each ------------------------------------------------------------------- */

static int export_program(struct export *x, struct cursor *c)
{
	const struct engine *e = x->store->engine;

	begin_line(x, "program");
	put_number(x, "program", e->number(c, 0));
	put_text(x, "path", e->text(c, 1));
	put_text(x, "build_id", e->text(c, 2));
	put_text(x, "cwd", e->text(c, 3));
	put_strings(x, "argv", e->text(c, 4));
	put_strings(x, "envp", e->text(c, 5));
	return end_line(x);
}

static int export_run(struct export *x, struct cursor *c)
{
	const struct engine *e = x->store->engine;

	begin_line(x, "run");
	put_number(x, "run", e->number(c, 0));
	put_text(x, "origin", e->text(c, 1));
	put_text(x, "stage", e->text(c, 2));
	put_reference(x, "program", c, 3);
	put_number(x, "began", e->number(c, 4));
	put_reference(x, "ended", c, 5);
	put_text(x, "exit_status", e->text(c, 6));
	return end_line(x);
}

static int export_counter(struct export *x, struct cursor *c)
{
	const struct engine *e = x->store->engine;

	begin_line(x, "counter");
	put_number(x, "run", e->number(c, 0));
	put_text(x, "name", e->text(c, 1));
	put_number(x, "value", e->number(c, 2));
	return end_line(x);
}

static int export_finding(struct export *x, struct cursor *c)
{
	const struct engine *e = x->store->engine;

	begin_line(x, "finding");
	put_text(x, "finding", e->text(c, 0));
	put_number(x, "kind", e->number(c, 1));
	put_text(x, "rung", rung_name((enum rung)e->number(c, 2)));
	put_number(x, "found_by", e->number(c, 3));
	put_text(x, "title", e->text(c, 4));
	put_number(x, "count", e->number(c, 5));
	put_number(x, "first_seen", e->number(c, 6));
	put_number(x, "last_seen", e->number(c, 7));
	put_reference(x, "first_run", c, 8);
	put_reference(x, "last_run", c, 9);
	put_text(x, "details", e->text(c, 10));
	x->findings++;
	return end_line(x);
}

static int export_climb(struct export *x, struct cursor *c)
{
	const struct engine *e = x->store->engine;

	begin_line(x, "climb");
	put_text(x, "finding", e->text(c, 0));
	put_text(x, "rung", rung_name((enum rung)e->number(c, 1)));
	put_number(x, "at", e->number(c, 2));
	put_reference(x, "run", c, 3);
	return end_line(x);
}

static int export_witness(struct export *x, struct cursor *c)
{
	const struct engine *e = x->store->engine;
	struct strbuf hex = STRBUF_INIT;
	const char *id = arena_strdup(&x->arena, e->text(c, 0));
	void *bytes;
	size_t size;

	if (store_get_schedule(x->store, &x->arena, id, &bytes, &size, NULL) < 0)
		return -1;
	for (size_t i = 0; i < size; i++)
		strbuf_printf(&hex, "%02x", ((unsigned char *)bytes)[i]);
	begin_line(x, "witness");
	put_text(x, "finding", id);
	put_hex(x, "seed", e->number(c, 1));
	put_text(x, "policy", e->text(c, 2));
	put_number(x, "steps", e->number(c, 3));
	put_number(x, "switches", e->number(c, 4));
	put_text(x, "outcome", e->text(c, 5));
	put_reference(x, "program", c, 6);
	put_text(x, "schedule", hex.buf);
	strbuf_release(&hex);
	return end_line(x);
}

static int export_trial(struct export *x, struct cursor *c, int64_t last[4])
{
	const struct engine *e = x->store->engine;
	int64_t flags = e->number(c, 7);

	for (int i = 0; i < 4; i++)
		last[i] = e->number(c, i);
	begin_line(x, "trial");
	put_text(x, "finding", e->text(c, 4));
	put_number(x, "program", last[1]);
	put_text(x, "policy", e->text(c, 5));
	put_hex(x, "seed", last[3]);
	put_text(x, "outcome", e->text(c, 6));
	put_number(x, "flags", flags);
	put_number(x, "steps", e->number(c, 8));
	put_hex(x, "hash", e->number(c, 9));
	put_number(x, "run", e->number(c, 10));
	x->trials++;
	return end_line(x);
}

/* ---- all of them ---------------------------------------------------------------------------------- */

typedef int line_writer(struct export *x, struct cursor *c);

static int each(struct export *x, const char *sql, line_writer *writer)
{
	const struct engine *e = x->store->engine;
	struct cursor *c = e->query(x->store, sql, NO_ARGS);
	int more = -1;

	while (c && (more = e->next(x->store, c)) > 0)
		if (writer(x, c)) {
			e->stop(x->store, c);
			return -1;
		}
	return more;
}

/* Page by page, by the key. */
static int export_trials(struct export *x)
{
	const struct engine *e = x->store->engine;
	int64_t last[4] = { -1, 0, 0, 0 };
	uint64_t before;
	int more = 0;

	do {
		struct cursor *c = e->query(x->store,
			"SELECT t.finding, t.program, t.policy, t.seed, f.id, p.text, o.text, t.flags, t.steps, t.hash, t.run FROM trial t"
			" JOIN finding f ON f.number = t.finding JOIN word p ON p.number = t.policy JOIN word o ON o.number = t.outcome"
			" WHERE (t.finding, t.program, t.policy, t.seed) > ($1, $2, $3, $4)"
			" ORDER BY t.finding, t.program, t.policy, t.seed LIMIT $5",
			ARGS(INT(last[0]), INT(last[1]), INT(last[2]), INT(last[3]), INT(TRIALS_AT_ONCE)));

		before = x->trials;
		more = c ? 0 : -1;
		while (c && !more && (more = e->next(x->store, c)) > 0)
			more = export_trial(x, c, last);
	} while (!more && x->trials - before == TRIALS_AT_ONCE);
	return more;
}

static int export_all(struct export *x)
{
	begin_line(x, "store");
	put_text(x, "schema", "deadheat-store/1");
	if (end_line(x) ||
	    each(x, "SELECT id, path, build_id, cwd, argv, envp FROM program ORDER BY used", export_program) ||
	    each(x, "SELECT id, origin, stage, program, began, ended, exit_status FROM run ORDER BY id", export_run) ||
	    each(x, "SELECT run, name, value FROM counter ORDER BY run, name", export_counter) ||
	    each(x, "SELECT id, kind, rung, found_by, title, count, first_seen, last_seen, first_run, last_run, details"
		    " FROM finding WHERE number > 0 ORDER BY number", export_finding) ||
	    each(x, "SELECT f.id, c.rung, c.at, c.run FROM climb c JOIN finding f ON f.number = c.finding"
		    " ORDER BY f.number, c.rung", export_climb) ||
	    export_trials(x) ||
	    each(x, "SELECT f.id, w.seed, w.policy, w.steps, w.switches, w.outcome, w.program FROM witness w"
		    " JOIN finding f ON f.number = w.finding ORDER BY f.number", export_witness))
		return -1;
	begin_line(x, "end");
	put_number(x, "findings", (int64_t)x->findings);
	put_number(x, "trials", (int64_t)x->trials);
	return end_line(x);
}

int store_export(struct store *store, FILE *out)
{
	struct export x = { .store = store, .out = out, .arena = ARENA_INIT, .line = STRBUF_INIT };
	int result = store->engine->begin(store, BEGIN_READ) ? -1 : sql_end(store, export_all(&x));

	if (!result && fflush(out))
		result = error("cannot write the export: is the disk full?");
	strbuf_release(&x.line);
	arena_free(&x.arena);
	return result;
}
