/*
 * import - see transfer.h: JSON lines into a store.
 *
 * A table has one reader for each type of line; a type that is not known is skipped, so that a
 * newer deadheat may add some. Lines go in by transactions of LINES_AT_ONCE. Numbers of programs
 * and runs are those of the file and are mapped to ours.
 *
 * I1  Twice is as once. Counts of failures, which have no key, become the larger of the two.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"
#include "store/transfer.h"

#define LINES_AT_ONCE 1000
#define MOST_IDS 100000000

typedef VEC(int64_t) id_map; /* the file's number -> ours; 0 unknown */

struct import {
	struct store *store;
	const char *name;
	uint64_t line;
	struct arena arena;       /* of one line */
	const json_t *root;       /* of it */
	id_map programs, runs;
	struct arena batch;       /* of the trials below, all of one run and program */
	VEC(struct store_trial) trials;
	int64_t run, program;
	bool has_head, has_end;
	struct transfer_count *count;
};

static int bad_line(const struct import *x, const char *what)
{
	return error_usage("%s:%llu: %s", x->name, (unsigned long long)x->line, what);
}

/* ---- fields ------------------------------------------------------------------------------------- */

/* NULL if it is not there. */
static const char *get_text(struct import *x, const char *key)
{
	const char *text = json_string_value(json_object_get(x->root, key));
	struct strbuf plain = STRBUF_INIT;
	char *copy;

	if (!text)
		return NULL;
	text_decode(&plain, text);
	copy = arena_strdup(&x->arena, plain.buf);
	strbuf_release(&plain);
	return copy;
}

static const char *text_or(struct import *x, const char *key, const char *otherwise)
{
	const char *text = get_text(x, key);

	return text ? text : otherwise;
}

static int64_t get_number(const struct import *x, const char *key)
{
	return json_integer_value(json_object_get(x->root, key));
}

static uint64_t get_hex(const struct import *x, const char *key)
{
	const char *text = json_string_value(json_object_get(x->root, key));

	return text ? strtoull(text, NULL, 16) : 0;
}

static int get_rung(struct import *x, enum rung *rung)
{
	int value = rung_parse(text_or(x, "rung", ""));

	*rung = (enum rung)value;
	return value < 0 ? bad_line(x, "no such rung") : 0;
}

static char **get_strings(struct import *x, const char *key)
{
	const json_t *list = json_object_get(x->root, key);
	size_t count = json_array_size(list);
	char **strings = ARENA_ARRAY(&x->arena, char *, count + 1);

	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(json_array_get(list, i));
		struct strbuf plain = STRBUF_INIT;

		text_decode(&plain, text ? text : "");
		strings[i] = arena_strdup(&x->arena, plain.buf);
		strbuf_release(&plain);
	}
	return strings;
}

static void map_put(id_map *map, int64_t from, int64_t to)
{
	while ((int64_t)map->count <= from)
		VEC_PUSH(map, 0);
	map->items[from] = to;
}

static int64_t map_get(const id_map *map, int64_t from)
{
	return from > 0 && from < (int64_t)map->count ? map->items[from] : 0;
}

/* ---- one kind of line each -------------------------------------------------------------------------- */

static int import_store(struct import *x)
{
	if (strcmp(text_or(x, "schema", ""), "deadheat-store/1"))
		return bad_line(x, "is not of the schema deadheat-store/1: export it with this deadheat, or import it with the "
				   "one that wrote it");
	x->has_head = true;
	return 0;
}

static int import_program(struct import *x)
{
	struct store_program p = { .path = text_or(x, "path", ""), .build_id = text_or(x, "build_id", ""),
				   .cwd = text_or(x, "cwd", ""), .argv = get_strings(x, "argv"), .envp = get_strings(x, "envp") };
	int64_t from = get_number(x, "program");

	if (from < 1 || from > MOST_IDS)
		return bad_line(x, "a program without its number");
	if (store_put_program(x->store, &p))
		return -1;
	map_put(&x->programs, from, p.id);
	return 0;
}

static int import_run(struct import *x)
{
	int64_t from = get_number(x, "run"), run = 0;
	const char *origin = text_or(x, "origin", "");
	int known = sql_number(x->store, "SELECT id FROM run WHERE origin = $1", ARGS(TEXT(origin)), &run);

	if (from < 1 || from > MOST_IDS || !*origin)
		return bad_line(x, "a run without its number or origin");
	if (known < 0)
		return -1;
	if (!known && sql_number(x->store, "INSERT INTO run (stage, program, began, ended, exit_status, origin)"
					   " VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
				 ARGS(TEXT(text_or(x, "stage", "")), REF(map_get(&x->programs, get_number(x, "program"))),
				      INT(get_number(x, "began")), REF(get_number(x, "ended")), TEXT(get_text(x, "exit_status")),
				      TEXT(origin)), &run) != 1)
		return -1;
	map_put(&x->runs, from, run);
	return 0;
}

static int import_counter(struct import *x)
{
	int64_t from = get_number(x, "run");

	if (!map_get(&x->runs, from))
		return bad_line(x, "a counter of an unknown run");
	return sql_run(x->store, "INSERT INTO counter (run, name, value) VALUES ($1, $2, $3) ON CONFLICT (run, name) DO UPDATE"
				 " SET value = excluded.value WHERE excluded.value > counter.value",
		       ARGS(INT(map_get(&x->runs, from)), TEXT(text_or(x, "name", "")), INT(get_number(x, "value"))));
}

static int put_by_kind(struct import *x, int64_t run, const char *id, enum rung rung, bool *is_new)
{
	char *details = arena_strdup(&x->arena, text_or(x, "details", ""));
	unsigned found_by = (unsigned)get_number(x, "found_by");
	struct candidate candidate = { .rung = rung, .found_by = found_by };
	struct deadlock deadlock = { .rung = rung, .found_by = found_by };
	struct failure failure = { 0 };

	memcpy(candidate.id, id, CANDIDATE_ID_SIZE);
	memcpy(deadlock.id, id, CANDIDATE_ID_SIZE);
	memcpy(failure.id, id, CANDIDATE_ID_SIZE);
	switch (get_number(x, "kind")) {
	case KIND_CANDIDATE:
		return unpack_candidate(&x->arena, details, &candidate) ||
		       store_put_candidate(x->store, run, &candidate, is_new) ? -1 : 0;
	case KIND_DEADLOCK:
		return unpack_deadlock(&x->arena, details, &deadlock) || store_put_deadlock(x->store, run, &deadlock, is_new)
			       ? -1 : 0;
	case KIND_FAILURE:
		return unpack_failure(&x->arena, details, &failure) || store_put_failure(x->store, run, &failure, is_new) ? -1 : 0;
	}
	return bad_line(x, "a finding of an unknown kind");
}

static bool is_id(const char *text)
{
	return text && strlen(text) == CANDIDATE_ID_SIZE - 1 && strspn(text, "0123456789abcdef") == CANDIDATE_ID_SIZE - 1;
}

static int import_finding(struct import *x)
{
	const char *id = get_text(x, "finding");
	int64_t first = get_number(x, "first_seen"), first_run = map_get(&x->runs, get_number(x, "first_run"));
	enum rung rung;
	bool is_new = false;
	int result;

	if (!is_id(id) || get_rung(x, &rung))
		return bad_line(x, "a finding without its id or rung");
	x->store->now = get_number(x, "last_seen");
	result = put_by_kind(x, map_get(&x->runs, get_number(x, "last_run")), id, rung, &is_new);
	x->store->now = 0;
	if (result || sql_run(x->store, "UPDATE finding SET first_run = CASE WHEN first_seen > $1 OR $5 = 1 THEN $2 ELSE first_run END,"
					" first_seen = CASE WHEN first_seen > $1 THEN $1 ELSE first_seen END,"
					" count = CASE WHEN count < $3 THEN $3 ELSE count END WHERE id = $4",
			      ARGS(INT(first), REF(first_run), INT(get_number(x, "count")), TEXT(id), INT(is_new))))
		return -1;
	x->count->findings++;
	x->count->new_findings += is_new;
	return 0;
}

static int import_climb(struct import *x)
{
	enum rung rung;

	if (get_rung(x, &rung))
		return -1;
	return sql_run(x->store, "INSERT INTO climb (finding, rung, at, run) SELECT number, $1, $2, $3 FROM finding WHERE id = $4"
				 " ON CONFLICT (finding, rung) DO UPDATE SET at = excluded.at, run = excluded.run"
				 " WHERE excluded.at < climb.at",
		       ARGS(INT(rung), INT(get_number(x, "at")), REF(map_get(&x->runs, get_number(x, "run"))),
			    TEXT(text_or(x, "finding", ""))));
}

/* ---- trials, many at once --------------------------------------------------------------------------- */

static int flush(struct import *x)
{
	int result = x->trials.count ? trials_put(x->store, x->run, x->program, x->trials.items, x->trials.count) : 0;

	x->trials.count = 0;
	arena_free(&x->batch);
	return result;
}

static int import_trial(struct import *x)
{
	int64_t flags = get_number(x, "flags");
	int64_t run = map_get(&x->runs, get_number(x, "run")), program = map_get(&x->programs, get_number(x, "program"));
	struct store_trial t = {
		.candidate = text_or(x, "finding", ""), .policy = text_or(x, "policy", ""), .seed = get_hex(x, "seed"),
		.outcome = text_or(x, "outcome", ""), .hit = flags & TRIAL_HIT, .harm = (flags & TRIAL_HARM) != 0,
		.order = (int)(flags >> TRIAL_ORDER & 3) - 1, .steps = (uint64_t)get_number(x, "steps"), .hash = get_hex(x, "hash"),
	};

	if (!run || !program)
		return bad_line(x, "a trial of an unknown run or program");
	if ((x->run != run || x->program != program || x->trials.count == LINES_AT_ONCE) && flush(x))
		return -1;
	x->run = run;
	x->program = program;
	t.candidate = arena_strdup(&x->batch, t.candidate);
	t.policy = arena_strdup(&x->batch, t.policy);
	t.outcome = arena_strdup(&x->batch, t.outcome);
	VEC_PUSH(&x->trials, t);
	x->count->trials++;
	return 0;
}

/* Harm seen under this outcome? */
static int is_harmful(struct import *x, const char *id, const char *outcome)
{
	int64_t harm = 0;

	return sql_number(x->store, "SELECT t.harm FROM tally t JOIN finding f ON f.number = t.finding JOIN word w"
				    " ON w.number = t.outcome WHERE f.id = $1 AND w.text = $2", ARGS(TEXT(id), TEXT(outcome)),
			  &harm) > 0 && harm;
}

/* Ours stays, unless theirs did harm and ours did not. */
static bool wants_witness(struct import *x, const char *id, const char *outcome)
{
	const struct engine *e = x->store->engine;
	struct cursor *c = e->query(x->store, "SELECT w.outcome FROM witness w JOIN finding f ON f.number = w.finding"
					      " WHERE f.id = $1", ARGS(TEXT(id)));
	const char *ours = NULL;

	if (!c || e->next(x->store, c) <= 0)
		return true;
	ours = arena_strdup(&x->arena, e->text(c, 0));
	e->stop(x->store, c);
	return is_harmful(x, id, outcome) && !is_harmful(x, id, ours);
}

static int import_witness(struct import *x)
{
	const char *id = get_text(x, "finding"), *hex = json_string_value(json_object_get(x->root, "schedule"));
	struct witness w = { .seed = get_hex(x, "seed"), .policy = text_or(x, "policy", ""), .outcome = text_or(x, "outcome", ""),
			     .steps = (uint64_t)get_number(x, "steps"), .switches = (unsigned)get_number(x, "switches") };
	size_t size = hex ? strlen(hex) / 2 : 0;
	char *bytes = arena_alloc(&x->arena, size + 1);
	int result;

	if (!is_id(id))
		return bad_line(x, "a witness without its finding");
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)strtoul((char[]){ hex[2 * i], hex[2 * i + 1], 0 }, NULL, 16);
	if (!wants_witness(x, id, w.outcome))
		return 0;
	x->store->program = map_get(&x->programs, get_number(x, "program"));
	result = store_put_witness(x->store, id, &w, bytes, size);
	x->store->program = 0;
	return result;
}

static int import_end(struct import *x)
{
	x->has_end = true;
	return 0;
}

static const struct {
	const char *type;
	int (*reader)(struct import *x);
} readers[] = {
	{ "trial", import_trial }, { "finding", import_finding }, { "climb", import_climb }, { "counter", import_counter },
	{ "run", import_run }, { "program", import_program }, { "witness", import_witness }, { "store", import_store },
	{ "end", import_end },
};

static int import_root(struct import *x)
{
	const char *type = json_string_value(json_object_get(x->root, "type"));

	if (!type)
		return bad_line(x, "is no line of an export: it has no type");
	if (!x->has_head && strcmp(type, "store"))
		return bad_line(x, "is not of the schema deadheat-store/1: its first line says so");
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		if (!strcmp(readers[i].type, type))
			return (readers[i].reader != import_trial && flush(x)) || readers[i].reader(x) ? -1 : 0;
	return 0;
}

static int import_line(struct import *x, const char *text, size_t length)
{
	json_error_t where;
	json_t *root = json_loadb(text, length, 0, &where);
	int result;

	if (!root)
		return bad_line(x, "is no line of an export: cut off, or not JSON");
	x->root = root;
	result = import_root(x);
	json_decref(root);
	arena_free(&x->arena);
	return result;
}

static int import_lines(struct import *x, FILE *in)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t length;
	int result = 0;

	while (!result && (length = getline(&text, &size, in)) > 0) {
		if (x->line++ % LINES_AT_ONCE == 0 && x->line > 1)
			result = flush(x) || sql_end(x->store, 0) || sql_begin(x->store) ? -1 : 0;
		if (!result)
			result = import_line(x, text, (size_t)length);
	}
	free(text);
	if (!result)
		result = flush(x);
	if (!result && ferror(in))
		result = error("cannot read %s: %s", x->name, strerror(errno));
	if (!result && !x->has_end)
		result = bad_line(x, "the file ends too early: what came before is imported, the rest is missing");
	return result;
}

#define ALL_TRIALS "SELECT coalesce(sum(trials), 0) FROM finding"

int store_import(struct store *store, FILE *in, const char *name, struct transfer_count *count)
{
	struct import x = { .store = store, .name = name, .arena = ARENA_INIT, .batch = ARENA_INIT, .count = count };
	int64_t before = 0, after = 0;
	int result;

	*count = (struct transfer_count){ 0 };
	if (sql_number(store, ALL_TRIALS, NO_ARGS, &before) < 0 || sql_begin(store))
		return -1;
	result = import_lines(&x, in);
	/* A file that is cut off is imported as far as it goes. */
	if (result && !x.has_end && feof(in))
		sql_end(store, 0);
	else
		result = sql_end(store, result);
	if (!result && sql_number(store, ALL_TRIALS, NO_ARGS, &after) < 0)
		result = -1;
	count->new_trials = (uint64_t)(after - before);
	VEC_FREE(&x.trials);
	arena_free(&x.batch);
	VEC_FREE(&x.programs);
	VEC_FREE(&x.runs);
	arena_free(&x.arena);
	return result;
}
