/*
 * format_html - one page that needs nothing else: styles, script and findings in one file.
 *
 * The page is src/report/html/ (page.css, page.html, page.js), taken into the program when
 * it is built. The findings go in as JSON, and page.js draws a finding when it is opened:
 * a thousand of them cost a thousand lines of the list, not a thousand drawings.
 *
 * I1  Text of the program under test is data everywhere: '<' is escaped in the JSON, and
 *     page.js only ever sets textContent.
 */
#include <string.h>

#include "report/internal.h"
#include "report/lanes.h"
#include "report/put.h"
#include "report/tables.h"

#define CONTEXT 4 /* lines of source around an access */
#define MOST 5000 /* findings of one page, the worst first: about 11 MB; the rest is counted on it */

/* The Makefile knows that this object depends on the files. */
#define ASSET(name, file) \
	__asm__(".pushsection .rodata, \"a\"\n" #name ":\n.incbin \"src/report/html/" file "\"\n.byte 0\n.popsection\n"); \
	extern const char name[] __attribute__((visibility("hidden")))
ASSET(page_css, "page.css");
ASSET(page_body, "page.html");
ASSET(page_js, "page.js");

struct page {
	const struct report *report;
	struct tables *tables;
	struct json json;
	size_t written, left_out;
};

static void put_string(struct page *p, const char *key, const char *text)
{
	json_key(&p->json, key);
	json_number(&p->json, string_index(p->tables, text));
}

/* ---- the two sides --------------------------------------------------------------------------- */

static void add_excerpt(struct page *p, const char *file, int line)
{
	for (int n = line > CONTEXT ? line - CONTEXT : 1; p->report->sym && n <= line + CONTEXT; n++) {
		const char *text = sym_source_line(p->report->sym, file, n);

		if (text)
			source_add(p->tables, file, n, text);
	}
}

static void put_stack(struct page *p, const struct frame *stack, size_t count)
{
	put_begin(&p->json, "stack", '[');
	for (size_t i = 0; i < count; i++)
		json_number(&p->json, frame_index(p->tables, &stack[i]));
	json_end(&p->json, ']');
	put_number(&p->json, "depth", stack_depth(stack, count));
}

static void put_locks(struct page *p, const struct access *a)
{
	put_begin(&p->json, "locks", '[');
	for (size_t i = 0; i < a->lock_count; i++) {
		const char *name = a->locks[i].name;

		if (a->locks[i].mode == LOCK_READ)
			name = arena_printf(p->report->arena, "%s (for reading)", name);
		json_number(&p->json, string_index(p->tables, name));
	}
	json_end(&p->json, ']');
}

/* Of an access in a header of the system also where the program's own code called. */
static void put_own(struct page *p, const struct frame *own)
{
	if (!own)
		return;
	put_number(&p->json, "own", (uint64_t)frame_index(p->tables, own));
	add_excerpt(p, own->file, own->line);
}

static void put_access(struct page *p, const struct access *a)
{
	struct arena *arena = p->report->arena;

	json_begin(&p->json, '{');
	put_string(p, "does", access_words(arena, a));
	put_flag(&p->json, "write", access_is_write(a->flags));
	put_string(p, "function", function_short(arena, a->function));
	put_string(p, "file", a->file);
	put_number(&p->json, "line", (uint64_t)a->line);
	put_number(&p->json, "column", (uint64_t)a->column);
	put_string(p, "where", access_where(arena, a));
	put_string(p, "thread", a->thread);
	put_string(p, "value", a->value);
	put_locks(p, a);
	put_stack(p, a->stack, a->stack_count);
	put_own(p, own_frame(a));
	json_end(&p->json, '}');
	if (a->line > 0 && a->file)
		add_excerpt(p, a->file, a->line);
}

/* ---- tally, witness, schedule -------------------------------------------------------------------- */

static void put_outcomes(struct page *p, const struct candidate *c)
{
	put_begin(&p->json, "outcomes", '[');
	for (size_t i = 0; i < c->outcome_count; i++) {
		const struct outcome *o = &c->outcomes[i];

		json_begin(&p->json, '[');
		json_number(&p->json, string_index(p->tables, o->name));
		json_number(&p->json, o->count);
		json_number(&p->json, o->a_first);
		json_number(&p->json, o->b_first);
		json_number(&p->json, o->harm);
		json_end(&p->json, ']');
	}
	json_end(&p->json, ']');
}

/* Rows: [0, thread, word, place, side] [1, thread, other, first] [2, steps] [3, times, lines] [4] [5, outcome] */
static void put_lane(struct page *p, const struct lane_line *line)
{
	static const int numbers[] = { [LANE_STEP] = 0, [LANE_MEETING] = 1, [LANE_GAP] = 2, [LANE_AGAIN] = 3, [LANE_WATCHDOG] = 4,
				       [LANE_END] = 5 };
	struct json *j = &p->json;
	int64_t side = line->side == 'a' ? 1 : line->side == 'b' ? 2 : 0;

	json_begin(j, '[');
	json_number(j, numbers[line->kind]);
	if (line->kind == LANE_STEP) {
		json_number(j, line->thread);
		json_number(j, string_index(p->tables, line->word));
		json_number(j, place_index(p->tables, line->file, line->line, line->function, line->source));
		json_number(j, side);
	} else if (line->kind == LANE_MEETING) {
		json_number(j, line->thread);
		json_number(j, line->other);
		json_number(j, line->first == LANE_NOBODY ? -1 : (int64_t)line->first);
	} else if (line->kind == LANE_GAP || line->kind == LANE_AGAIN) {
		json_number(j, (int64_t)line->count);
		json_number(j, (int64_t)line->span);
	} else if (line->kind == LANE_END) {
		json_number(j, string_index(p->tables, line->word));
	}
	json_end(j, ']');
}

static void put_lanes(struct page *p, const char *id)
{
	struct lanes lanes;

	if (!lanes_read(p->report, id, &lanes))
		return;
	put_number(&p->json, "threads", lanes.threads);
	put_begin(&p->json, "lanes", '[');
	for (size_t i = 0; i < lanes.count; i++)
		put_lane(p, &lanes.lines[i]);
	json_end(&p->json, ']');
}

static void put_witness(struct page *p, const char *id, const struct witness *w)
{
	if (!w)
		return;
	put_begin(&p->json, "witness", '{');
	put_seed(&p->json, "seed", w->seed);
	put_string(p, "policy", w->policy);
	put_number(&p->json, "steps", w->steps);
	put_number(&p->json, "switches", w->switches);
	put_string(p, "outcome", w->outcome);
	put_string(p, "schedule", w->schedule);
	put_text(&p->json, "replay", replay_line(p->report, id));
	put_lanes(p, id);
	json_end(&p->json, '}');
}

/* ---- findings --------------------------------------------------------------------------------------- */

static void put_head(struct page *p, const char *kind, const char *id, const char *rung, const char *title)
{
	put_text(&p->json, "kind", kind);
	put_text(&p->json, "id", id);
	put_text(&p->json, "short", short_id(p->report, id));
	put_text(&p->json, "rung", rung);
	put_string(p, "title", title);
	if (baseline_state(p->report, id))
		put_text(&p->json, "baseline", baseline_state(p->report, id));
}

static void put_candidate(struct page *p, const void *finding)
{
	const struct candidate *c = finding;

	put_head(p, "race", c->id, rung_name(c->rung), report_title(p->report->arena, c));
	put_string(p, "found_by", finder_list(p->report->arena, c->found_by));
	put_string(p, "variable", c->variable);
	put_string(p, "memory", c->memory);
	put_begin(&p->json, "accesses", '[');
	put_access(p, &c->access[0]);
	put_access(p, &c->access[1]);
	json_end(&p->json, ']');
	put_number(&p->json, "trials", c->trials);
	put_number(&p->json, "hits", c->hits);
	put_outcomes(p, c);
	put_string(p, "suppressed", c->suppressed);
	put_string(p, "hint", report_hint(p->report, c));
	put_witness(p, c->id, c->witness);
}

static void put_edge(struct page *p, const struct deadlock_edge *e)
{
	json_begin(&p->json, '{');
	put_string(p, "holds", e->holds);
	put_string(p, "waits_for", e->waits_for);
	put_stack(p, e->stack, e->stack_count);
	json_end(&p->json, '}');
	if (e->stack_count && e->stack[0].line > 0 && e->stack[0].file)
		add_excerpt(p, e->stack[0].file, e->stack[0].line);
}

static void put_deadlock(struct page *p, const void *finding)
{
	const struct deadlock *d = finding;

	put_head(p, "deadlock", d->id, rung_name(d->rung), deadlock_title(p->report->arena, d));
	put_string(p, "found_by", finder_list(p->report->arena, d->found_by));
	put_begin(&p->json, "edges", '[');
	for (size_t i = 0; i < d->edge_count; i++)
		put_edge(p, &d->edges[i]);
	json_end(&p->json, ']');
	put_number(&p->json, "trials", d->trials);
	put_number(&p->json, "hits", d->hits);
	put_string(p, "suppressed", d->suppressed);
	put_string(p, "hint", deadlock_hint(p->report, d));
	put_witness(p, d->id, d->witness);
}

static void put_failure(struct page *p, const void *finding)
{
	const struct failure *f = finding;

	put_head(p, "failure", f->id, "failed", failure_title(p->report->arena, f));
	put_string(p, "outcome", f->outcome);
	put_string(p, "message", f->message);
	put_number(&p->json, "count", f->count);
	put_string(p, "suppressed", f->suppressed);
	put_witness(p, f->id, f->witness);
}

/* ---- the page ------------------------------------------------------------------------------------------ */

/* '<' stands only inside strings of JSON; escaped, nothing can end the script element. */
static void write_json(FILE *out, const struct strbuf *json)
{
	for (const char *p = json->buf, *end = p + json->len; p < end;) {
		size_t n = strcspn(p, "<");

		fwrite(p, 1, n, out);
		p += n;
		if (p < end && *p == '<') {
			fputs("\\u003c", out);
			p++;
		}
	}
}

typedef void finding_writer(struct page *page, const void *finding);

/* One line a finding, so that two pages can be compared. */
static void write_findings(struct page *p, FILE *out, const char **lead, const void *items, size_t count, size_t size,
			   finding_writer *write)
{
	for (size_t i = 0; i < count; i++) {
		if (p->written == MOST) {
			p->left_out += count - i;
			return;
		}
		p->written++;
		strbuf_reset(p->json.out);
		p->json.comma = false;
		json_begin(&p->json, '{');
		write(p, (const char *)items + i * size);
		json_end(&p->json, '}');
		fputs(*lead, out);
		write_json(out, p->json.out);
		*lead = ",\n";
	}
}

static void put_losses(struct page *p)
{
	put_number(&p->json, "left_out", p->left_out);
	put_begin(&p->json, "losses", '[');
	for (size_t i = 0; i < p->report->findings.counter_count; i++) {
		const char *name = p->report->findings.counters[i].name;

		if (!p->report->findings.counters[i].value || !is_loss(name))
			continue;
		json_begin(&p->json, '[');
		json_text(&p->json, name);
		json_number(&p->json, (int64_t)p->report->findings.counters[i].value);
		json_end(&p->json, ']');
	}
	json_end(&p->json, ']');
}

static void put_run(struct page *p)
{
	put_text(&p->json, "version", DEADHEAT_VERSION);
	put_text(&p->json, "verdict", verdict_name(p->report->verdict));
	put_text(&p->json, "meaning", verdict_meaning(p->report));
	put_text(&p->json, "folder", p->report->folder);
	put_begin(&p->json, "counters", '{');
	for (size_t i = 0; i < p->report->findings.counter_count; i++)
		put_number(&p->json, p->report->findings.counters[i].name, p->report->findings.counters[i].value);
	json_end(&p->json, '}');
	put_losses(p);
}

static void write_data(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;
	struct strbuf sb = STRBUF_INIT;
	struct page page = { r, tables_open(), JSON_INIT(&sb), 0, 0 };
	const char *lead = "\n";

	fputs("{\"findings\": [", out);
	write_findings(&page, out, &lead, f->candidates, f->candidate_count, sizeof(*f->candidates), put_candidate);
	write_findings(&page, out, &lead, f->deadlocks, f->deadlock_count, sizeof(*f->deadlocks), put_deadlock);
	write_findings(&page, out, &lead, f->failures, f->failure_count, sizeof(*f->failures), put_failure);
	fputs("\n],\n", out);
	strbuf_reset(&sb);
	page.json.comma = false;
	put_run(&page);
	tables_write(page.tables, &page.json);
	write_json(out, &sb);
	fputs("}\n", out);
	tables_close(page.tables);
	strbuf_release(&sb);
}

int report_html(const struct report *r, FILE *out)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>deadheat report</title>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'\">\n<style>\n", out);
	fputs(page_css, out);
	fputs("</style>\n</head>\n<body>\n", out);
	fputs(page_body, out);
	fputs("<script type=\"application/json\" id=\"data\">\n", out);
	write_data(r, out);
	fputs("</script>\n<script>\n", out);
	fputs(page_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
	return finish_report(out);
}
