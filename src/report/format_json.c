/*
 * format_json - schema deadheat-report/1, documented in docs/report-schema.md.
 *
 * One line a finding: a report of a hundred thousand is written as it goes, never held
 * whole. Text that is not UTF-8 (file names may be anything) has its odd bytes replaced.
 */
#include <string.h>

#include "report/internal.h"
#include "report/put.h"

#define SCHEMA "deadheat-report/1"

/* Lines and columns count from 1; 0 is unknown. */
static void put_line(struct json *j, const char *key, int line)
{
	json_key(j, key);
	if (line > 0)
		json_number(j, line);
	else
		json_none(j);
}

/* ---- parts -------------------------------------------------------------------------- */

static void put_frame(struct json *j, const struct frame *f)
{
	json_begin(j, '{');
	put_text(j, "function", f->function);
	put_text(j, "file", f->file);
	put_line(j, "line", f->line);
	put_line(j, "column", f->column);
	put_flag(j, "inlined", f->inlined);
	put_text(j, "module", f->place.module);
	put_number(j, "offset", f->place.offset);
	json_end(j, '}');
}

static void put_stack(struct json *j, const struct frame *stack, size_t count)
{
	put_begin(j, "stack", '[');
	for (size_t i = 0; i < count; i++)
		put_frame(j, &stack[i]);
	json_end(j, ']');
}

static void put_locks(struct json *j, const struct access *a)
{
	put_begin(j, "locks", '[');
	for (size_t i = 0; i < a->lock_count; i++) {
		json_begin(j, '{');
		put_text(j, "name", a->locks[i].name);
		put_text(j, "mode", lock_mode_name(a->locks[i].mode));
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_access(struct json *j, const struct access *a)
{
	json_begin(j, '{');
	put_text(j, "kind", access_kind_name(a->flags));
	put_flag(j, "atomic", a->flags & ACCESS_ATOMIC);
	put_number(j, "size", a->size);
	put_text(j, "function", a->function);
	put_text(j, "file", a->file && *a->file ? a->file : NULL);
	put_line(j, "line", a->line);
	put_line(j, "column", a->column);
	put_text(j, "thread", a->thread);
	put_text(j, "value", a->value);
	put_locks(j, a);
	put_stack(j, a->stack, a->stack_count);
	json_end(j, '}');
}

static void put_witness(struct json *j, const struct report *r, const char *id, const struct witness *w)
{
	json_key(j, "witness");
	if (!w) {
		json_none(j);
		return;
	}
	json_begin(j, '{');
	put_seed(j, "seed", w->seed);
	put_text(j, "policy", w->policy);
	put_number(j, "steps", w->steps);
	put_number(j, "switches", w->switches);
	put_text(j, "outcome", w->outcome);
	put_text(j, "schedule", w->schedule);
	put_text(j, "replay", replay_line(r, id));
	json_end(j, '}');
}

static void put_finders(struct json *j, unsigned found_by)
{
	put_begin(j, "found_by", '[');
	for (unsigned bit = 1; bit && bit <= found_by; bit <<= 1)
		if ((found_by & bit) && finder_name(bit))
			json_text(j, finder_name(bit));
	json_end(j, ']');
}

/* ---- findings --------------------------------------------------------------------------- */

static void put_outcomes(struct json *j, const struct candidate *c)
{
	put_begin(j, "outcomes", '{');
	for (size_t i = 0; i < c->outcome_count; i++)
		put_number(j, c->outcomes[i].name, c->outcomes[i].count);
	json_end(j, '}');
}

/* The tally per resolution order, and whether the ending is harm. */
static void put_orders(struct json *j, const struct candidate *c)
{
	put_begin(j, "orders", '{');
	for (size_t i = 0; i < c->outcome_count; i++) {
		const struct outcome *o = &c->outcomes[i];

		json_key(j, o->name);
		json_begin(j, '{');
		put_number(j, "a_first", o->a_first);
		put_number(j, "b_first", o->b_first);
		put_flag(j, "harm", o->harm);
		json_end(j, '}');
	}
	json_end(j, '}');
}

static void put_candidate(struct json *j, const struct report *r, const void *finding)
{
	const struct candidate *c = finding;

	put_text(j, "id", c->id);
	put_text(j, "rung", rung_name(c->rung));
	put_text(j, "title", report_title(r->arena, c));
	put_finders(j, c->found_by);
	put_text(j, "variable", c->variable);
	put_text(j, "memory", c->memory);
	put_begin(j, "accesses", '[');
	put_access(j, &c->access[0]);
	put_access(j, &c->access[1]);
	json_end(j, ']');
	put_number(j, "trials", c->trials);
	put_number(j, "hits", c->hits);
	put_outcomes(j, c);
	put_orders(j, c);
	put_text(j, "suppressed", c->suppressed);
	put_text(j, "baseline", baseline_state(r, c->id));
	put_text(j, "hint", report_hint(r, c));
	put_witness(j, r, c->id, c->witness);
}

static void put_edge(struct json *j, const struct deadlock_edge *e)
{
	json_begin(j, '{');
	put_text(j, "waits_for", e->waits_for);
	put_text(j, "holds", e->holds);
	put_stack(j, e->stack, e->stack_count);
	json_end(j, '}');
}

static void put_deadlock(struct json *j, const struct report *r, const void *finding)
{
	const struct deadlock *d = finding;

	put_text(j, "id", d->id);
	put_text(j, "rung", rung_name(d->rung));
	put_text(j, "title", deadlock_title(r->arena, d));
	put_finders(j, d->found_by);
	put_begin(j, "threads", '[');
	for (size_t i = 0; i < d->edge_count; i++)
		put_edge(j, &d->edges[i]);
	json_end(j, ']');
	put_number(j, "trials", d->trials);
	put_number(j, "hits", d->hits);
	put_text(j, "suppressed", d->suppressed);
	put_text(j, "baseline", baseline_state(r, d->id));
	put_text(j, "hint", deadlock_hint(r, d));
	put_witness(j, r, d->id, d->witness);
}

static void put_failure(struct json *j, const struct report *r, const void *finding)
{
	const struct failure *f = finding;

	put_text(j, "id", f->id);
	put_text(j, "outcome", f->outcome);
	put_text(j, "message", f->message);
	put_number(j, "count", f->count);
	put_text(j, "suppressed", f->suppressed);
	put_text(j, "baseline", baseline_state(r, f->id));
	put_witness(j, r, f->id, f->witness);
}

/* ---- the document -------------------------------------------------------------------------- */

typedef void finding_writer(struct json *j, const struct report *r, const void *finding);

static void write_finding(const struct report *r, FILE *out, struct strbuf *line, const void *finding,
			  finding_writer *write)
{
	struct json j = JSON_INIT(line);

	strbuf_reset(line);
	json_begin(&j, '{');
	write(&j, r, finding);
	json_end(&j, '}');
	fwrite(line->buf, 1, line->len, out);
}

static void write_list(const struct report *r, FILE *out, const char *key, const void *items, size_t count, size_t size,
		       finding_writer *write)
{
	struct strbuf line = STRBUF_INIT;

	fprintf(out, "  \"%s\": [", key);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n    " : "\n    ", out);
		write_finding(r, out, &line, (const char *)items + i * size, write);
	}
	fputs(count ? "\n  ],\n" : "],\n", out);
	strbuf_release(&line);
}

static void put_counters(struct json *j, const struct report *r, const void *unused)
{
	for (size_t i = 0; i < r->findings.counter_count; i++)
		put_number(j, r->findings.counters[i].name, r->findings.counters[i].value);
}

static void put_assumption(struct json *j, const struct report *r, const void *item)
{
	const struct report_assumption *a = item;

	put_text(j, "kind", a->kind);
	put_text(j, "text", a->text);
	put_text(j, "file", a->file);
	put_number(j, "line", (uint64_t)a->line);
	put_number(j, "count", a->count);
	put_flag(j, "sound", a->sound);
}

int report_json(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;
	struct strbuf line = STRBUF_INIT;

	fprintf(out, "{\n  \"schema\": \"%s\",\n  \"verdict\": \"%s\",\n", SCHEMA, verdict_name(r->verdict));
	write_list(r, out, "candidates", f->candidates, f->candidate_count, sizeof(*f->candidates), put_candidate);
	write_list(r, out, "deadlocks", f->deadlocks, f->deadlock_count, sizeof(*f->deadlocks), put_deadlock);
	write_list(r, out, "failures", f->failures, f->failure_count, sizeof(*f->failures), put_failure);
	if (r->assumption_count)
		write_list(r, out, "assumptions", r->assumptions, r->assumption_count, sizeof(*r->assumptions), put_assumption);
	fputs("  \"counters\": ", out);
	write_finding(r, out, &line, NULL, put_counters);
	fputs("\n}\n", out);
	strbuf_release(&line);
	return finish_report(out);
}
