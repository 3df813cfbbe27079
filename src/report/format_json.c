/*
 * format_json - schema deadheat-report/1, documented in docs/report-schema.md.
 *
 * One line a finding: a report of a hundred thousand is written as it goes, never held
 * whole. Text that is not UTF-8 (file names may be anything) has its odd bytes replaced.
 */
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "report/internal.h"

#define SCHEMA "deadheat-report/1"

static json_t *text(const char *string)
{
	json_t *value;
	struct strbuf plain = STRBUF_INIT;

	if (!string)
		return json_null();
	value = json_string(string);
	if (value)
		return value;
	for (; *string; string++)
		strbuf_putc(&plain, (unsigned char)*string < 0x80 ? *string : '?');
	value = json_string(plain.buf);
	strbuf_release(&plain);
	return value;
}

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *line_number(int line)
{
	return line > 0 ? json_integer(line) : json_null();
}

/* JSON readers take integers up to 2^63 - 1; a larger seed is given as text. */
static json_t *seed_number(uint64_t seed)
{
	char digits[24];

	if (seed <= INT64_MAX)
		return number(seed);
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)seed);
	return json_string(digits);
}

static void put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		BUG("out of memory");
}

/* ---- parts -------------------------------------------------------------------------- */

static json_t *frame_json(const struct frame *f)
{
	json_t *o = json_object();

	put(o, "function", text(f->function));
	put(o, "file", text(f->file));
	put(o, "line", line_number(f->line));
	put(o, "column", line_number(f->column));
	put(o, "inlined", json_boolean(f->inlined));
	put(o, "module", text(f->place.module));
	put(o, "offset", number(f->place.offset));
	return o;
}

static json_t *stack_json(const struct frame *stack, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, frame_json(&stack[i]));
	return list;
}

static json_t *locks_json(const struct access *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->lock_count; i++) {
		json_t *lock = json_object();

		put(lock, "name", text(a->locks[i].name));
		put(lock, "mode", text(lock_mode_name(a->locks[i].mode)));
		json_array_append_new(list, lock);
	}
	return list;
}

static json_t *access_json(const struct access *a)
{
	json_t *o = json_object();

	put(o, "kind", text(access_kind_name(a->flags)));
	put(o, "atomic", json_boolean(a->flags & ACCESS_ATOMIC));
	put(o, "size", number(a->size));
	put(o, "function", text(a->function));
	put(o, "file", text(a->file && *a->file ? a->file : NULL));
	put(o, "line", line_number(a->line));
	put(o, "column", line_number(a->column));
	put(o, "thread", text(a->thread));
	put(o, "value", text(a->value));
	put(o, "locks", locks_json(a));
	put(o, "stack", stack_json(a->stack, a->stack_count));
	return o;
}

static json_t *witness_json(const struct report *r, const char *id, const struct witness *w)
{
	json_t *o;

	if (!w)
		return json_null();
	o = json_object();
	put(o, "seed", seed_number(w->seed));
	put(o, "policy", text(w->policy));
	put(o, "steps", number(w->steps));
	put(o, "switches", number(w->switches));
	put(o, "outcome", text(w->outcome));
	put(o, "schedule", text(w->schedule));
	put(o, "replay", text(replay_line(r, id)));
	return o;
}

static json_t *found_by_json(unsigned found_by)
{
	json_t *list = json_array();

	for (unsigned bit = 1; bit && bit <= found_by; bit <<= 1)
		if ((found_by & bit) && finder_name(bit))
			json_array_append_new(list, text(finder_name(bit)));
	return list;
}

/* ---- findings --------------------------------------------------------------------------- */

static json_t *outcomes_json(const struct candidate *c)
{
	json_t *o = json_object();

	for (size_t i = 0; i < c->outcome_count; i++)
		put(o, c->outcomes[i].name, number(c->outcomes[i].count));
	return o;
}

/* The tally per resolution order, and whether the ending is harm. */
static json_t *orders_json(const struct candidate *c)
{
	json_t *o = json_object();

	for (size_t i = 0; i < c->outcome_count; i++) {
		const struct outcome *x = &c->outcomes[i];
		json_t *row = json_object();

		put(row, "a_first", number(x->a_first));
		put(row, "b_first", number(x->b_first));
		put(row, "harm", json_boolean(x->harm));
		put(o, x->name, row);
	}
	return o;
}

static json_t *candidate_json(const struct report *r, const void *finding)
{
	const struct candidate *c = finding;
	json_t *o = json_object();

	put(o, "id", text(c->id));
	put(o, "rung", text(rung_name(c->rung)));
	put(o, "title", text(report_title(r->arena, c)));
	put(o, "found_by", found_by_json(c->found_by));
	put(o, "variable", text(c->variable));
	put(o, "memory", text(c->memory));
	put(o, "accesses", json_pack("[o, o]", access_json(&c->access[0]), access_json(&c->access[1])));
	put(o, "trials", number(c->trials));
	put(o, "hits", number(c->hits));
	put(o, "outcomes", outcomes_json(c));
	put(o, "orders", orders_json(c));
	put(o, "suppressed", text(c->suppressed));
	put(o, "witness", witness_json(r, c->id, c->witness));
	return o;
}

static json_t *edge_json(const struct deadlock_edge *e)
{
	json_t *o = json_object();

	put(o, "waits_for", text(e->waits_for));
	put(o, "holds", text(e->holds));
	put(o, "stack", stack_json(e->stack, e->stack_count));
	return o;
}

static json_t *deadlock_json(const struct report *r, const void *finding)
{
	const struct deadlock *d = finding;
	json_t *o = json_object(), *threads = json_array();

	for (size_t i = 0; i < d->edge_count; i++)
		json_array_append_new(threads, edge_json(&d->edges[i]));
	put(o, "id", text(d->id));
	put(o, "rung", text(rung_name(d->rung)));
	put(o, "title", text(deadlock_title(r->arena, d)));
	put(o, "found_by", found_by_json(d->found_by));
	put(o, "threads", threads);
	put(o, "trials", number(d->trials));
	put(o, "hits", number(d->hits));
	put(o, "witness", witness_json(r, d->id, d->witness));
	return o;
}

static json_t *failure_json(const struct report *r, const void *finding)
{
	const struct failure *f = finding;
	json_t *o = json_object();

	put(o, "id", text(f->id));
	put(o, "outcome", text(f->outcome));
	put(o, "message", text(f->message));
	put(o, "count", number(f->count));
	put(o, "witness", witness_json(r, f->id, f->witness));
	return o;
}

static json_t *counters_json(const struct report *r)
{
	json_t *o = json_object();

	for (size_t i = 0; i < r->findings.counter_count; i++)
		put(o, r->findings.counters[i].name, number(r->findings.counters[i].value));
	return o;
}

/* ---- the document -------------------------------------------------------------------------- */

static int append(const char *piece, size_t size, void *line)
{
	strbuf_add(line, piece, size);
	return 0;
}

/* By way of a buffer: jansson hands out pieces of a few bytes. Frees the value. */
static void dump(FILE *out, struct strbuf *line, json_t *value)
{
	strbuf_reset(line);
	if (json_dump_callback(value, append, line, 0))
		BUG("a value that cannot be written");
	fwrite(line->buf, 1, line->len, out);
	json_decref(value);
}

typedef json_t *finding_printer(const struct report *r, const void *finding);

static void print_list(const struct report *r, FILE *out, struct strbuf *line, const char *key, const void *items,
		       size_t count, size_t size, finding_printer *print)
{
	fprintf(out, "  \"%s\": [", key);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n    " : "\n    ", out);
		dump(out, line, print(r, (const char *)items + i * size));
	}
	fputs(count ? "\n  ],\n" : "],\n", out);
}

int report_json(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;
	struct strbuf line = STRBUF_INIT;

	fprintf(out, "{\n  \"schema\": \"%s\",\n  \"verdict\": \"%s\",\n", SCHEMA, verdict_name(r->verdict));
	print_list(r, out, &line, "candidates", f->candidates, f->candidate_count, sizeof(*f->candidates), candidate_json);
	print_list(r, out, &line, "deadlocks", f->deadlocks, f->deadlock_count, sizeof(*f->deadlocks), deadlock_json);
	print_list(r, out, &line, "failures", f->failures, f->failure_count, sizeof(*f->failures), failure_json);
	fputs("  \"counters\": ", out);
	dump(out, &line, counters_json(r));
	fputs("\n}\n", out);
	strbuf_release(&line);
	return fflush(out) || ferror(out) ? error("cannot write the report") : 0;
}
