/*
 * format_sarif - SARIF 2.1.0 for code scanning services and editors.
 *
 * A finding is a result; its two sides are two thread flows of one code flow. With a
 * witness they hold the steps of the schedule, executionOrder counting over both; without
 * one each holds its access, with the same executionOrder: SARIF's way to say that nothing
 * orders them. What is not shown to happen has kind "open" and level "none" (SARIF: "there
 * was insufficient information to decide"): nothing below confirmed is called a race.
 */
#include <string.h>

#include "report/internal.h"
#include "report/lanes.h"
#include "report/put.h"

#define ROOT "%SRCROOT%"

static const struct rule {
	const char *id, *name, *text, *help;
	bool shown; /* results of it happened */
} rules[] = {
	{ "data-race", "DataRace", "Two threads access the same memory at the same time and one of them writes.",
	  "Both threads stood before their conflicting accesses at once, in a schedule that `deadheat replay` repeats. "
	  "Guard both accesses with one lock, or make both atomic.", true },
	{ "unconfirmed-pair", "UnconfirmedPair", "Two accesses with no common lock and no order seen between them.",
	  "Not shown to meet so far. `deadheat confirm` tries to make the two threads meet.", false },
	{ "deadlock", "ActualDeadlock", "Threads wait for each other's locks and none can go on.",
	  "It happened, in a schedule that `deadheat replay` repeats. Take the locks in one order everywhere.", true },
	{ "lock-cycle", "LockCycle", "Locks are taken in different orders by different threads.",
	  "Not shown to deadlock so far. `deadheat confirm` tries to.", false },
	{ "failure", "FailedSchedule", "The program failed in a schedule that the operating system may choose too.",
	  "`deadheat replay` repeats the schedule, under gdb if asked.", true },
};
enum { RULE_RACE, RULE_PAIR, RULE_DEADLOCK, RULE_CYCLE, RULE_FAILURE, RULE_COUNT };

static void put_message(struct json *j, const char *key, const char *text)
{
	put_begin(j, key, '{');
	put_text(j, "text", text);
	json_end(j, '}');
}

/* ---- places ------------------------------------------------------------------------------ */

static const char *encode_uri(struct arena *arena, const char *prefix, const char *path)
{
	char *out = arena_alloc(arena, strlen(prefix) + 3 * strlen(path) + 1), *w = stpcpy(out, prefix);

	for (; *path; path++)
		if ((*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') || (*path >= '0' && *path <= '9') ||
		    strchr("/-._~", *path))
			*w++ = *path;
		else
			w += sprintf(w, "%%%02X", (unsigned char)*path);
	return out;
}

static void put_artifact(struct json *j, const struct report *r, const char *path)
{
	put_begin(j, "artifactLocation", '{');
	if (*path == '/') {
		put_text(j, "uri", encode_uri(r->arena, "file://", path));
	} else {
		put_text(j, "uri", encode_uri(r->arena, "", path));
		put_text(j, "uriBaseId", ROOT);
	}
	json_end(j, '}');
}

static void put_region(struct json *j, const char *source, int line, int column)
{
	put_begin(j, "region", '{');
	put_number(j, "startLine", (uint64_t)line);
	if (column > 0)
		put_number(j, "startColumn", (uint64_t)column);
	if (source)
		put_message(j, "snippet", source);
	json_end(j, '}');
}

/* A line of a source file, else an address in a module, else nothing. */
static void put_physical(struct json *j, const struct report *r, const char *file, int line, int column,
			 const struct place *place)
{
	bool has_line = file && *file && line > 0;

	if (!has_line && !(place && place->module && *place->module))
		return;
	put_begin(j, "physicalLocation", '{');
	put_artifact(j, r, has_line ? file : place->module);
	if (has_line) {
		put_region(j, r->sym ? sym_source_line(r->sym, file, line) : NULL, line, column);
	} else {
		put_begin(j, "address", '{');
		put_number(j, "relativeAddress", place->offset);
		json_end(j, '}');
	}
	json_end(j, '}');
}

static void put_function(struct json *j, const char *function)
{
	if (!function || !*function)
		return;
	put_begin(j, "logicalLocations", '[');
	json_begin(j, '{');
	put_text(j, "fullyQualifiedName", function);
	put_text(j, "kind", "function");
	json_end(j, '}');
	json_end(j, ']');
}

/* The members of a location; the caller opens and closes it. */
static void put_access_place(struct json *j, const struct report *r, const struct access *a)
{
	put_physical(j, r, a->file, a->line, a->column, a->place_count ? &a->places[0] : NULL);
	put_function(j, a->function);
}

static const char *access_text(struct arena *arena, char side, const struct access *a)
{
	const char *locks = a->lock_count ? "" : ", no locks held";

	for (size_t i = 0; i < a->lock_count; i++)
		locks = arena_printf(arena, "%s%s%s%s", locks, i ? ", " : ", holds ", a->locks[i].name,
				     a->locks[i].mode == LOCK_READ ? " (for reading)" : "");
	return arena_printf(arena, "%c: %s by %s in %s%s%s%s", side, access_words(arena, a),
			    a->thread ? a->thread : "a thread", function_short(arena, a->function), locks,
			    a->value ? ", value " : "", a->value ? a->value : "");
}

/* ---- stacks and flows ---------------------------------------------------------------------- */

static void put_stack(struct json *j, const struct report *r, const char *text, const struct frame *stack, size_t count)
{
	json_begin(j, '{');
	put_message(j, "message", text);
	put_begin(j, "frames", '[');
	for (size_t i = 0; i < count; i++) {
		json_begin(j, '{');
		put_begin(j, "location", '{');
		put_physical(j, r, stack[i].file, stack[i].line, stack[i].column, &stack[i].place);
		put_function(j, stack[i].function);
		json_end(j, '}');
		if (stack[i].place.module && *stack[i].place.module)
			put_text(j, "module", stack[i].place.module);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

static void put_flow_access(struct json *j, const struct report *r, char side, const struct access *a, const char *variable,
			    size_t order)
{
	json_begin(j, '{');
	put_begin(j, "location", '{');
	put_access_place(j, r, a);
	put_message(j, "message", access_text(r->arena, side, a));
	json_end(j, '}');
	put_begin(j, "kinds", '[');
	json_text(j, "memory");
	json_end(j, ']');
	if (a->value) {
		put_begin(j, "state", '{');
		put_message(j, variable ? variable : "value", a->value);
		json_end(j, '}');
	}
	put_number(j, "executionOrder", order);
	put_text(j, "importance", "essential");
	json_end(j, '}');
}

/* Without the source: a schedule has many steps. */
static void put_step_place(struct json *j, const struct report *r, const struct lane_line *line)
{
	if (line->file && line->line > 0) {
		put_begin(j, "physicalLocation", '{');
		put_artifact(j, r, line->file);
		put_region(j, NULL, line->line, 0);
		json_end(j, '}');
	}
	put_function(j, line->function);
}

static void put_flow_step(struct json *j, const struct report *r, const struct lane_line *line, size_t order)
{
	json_begin(j, '{');
	put_begin(j, "location", '{');
	put_step_place(j, r, line);
	put_message(j, "message", line->word);
	json_end(j, '}');
	put_number(j, "executionOrder", order);
	put_text(j, "importance", line->side ? "essential" : "important");
	json_end(j, '}');
}

/* The thread of each side in the last meeting: by the sides its steps name, else as they come. */
static bool meeting_threads(const struct lanes *lanes, uint32_t threads[2])
{
	size_t at = lanes->count;

	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->lines[i].kind == LANE_MEETING)
			at = i;
	if (at == lanes->count)
		return false;
	threads[0] = lanes->lines[at].thread;
	threads[1] = lanes->lines[at].other;
	while (at-- > 0) {
		const struct lane_line *line = &lanes->lines[at];

		if (line->kind != LANE_STEP || !line->side)
			continue;
		if (line->thread == threads[line->side == 'a']) {
			threads[line->side == 'a'] = threads[line->side == 'b'];
			threads[line->side == 'b'] = line->thread;
			return true;
		}
		if (line->thread == threads[line->side == 'b'])
			return true;
	}
	return true;
}

static void put_steps(struct json *j, const struct report *r, const struct lanes *lanes, uint32_t thread)
{
	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->lines[i].kind == LANE_STEP && lanes->lines[i].thread == thread)
			put_flow_step(j, r, &lanes->lines[i], i + 1);
}

static void put_thread_flow(struct json *j, const struct report *r, const struct candidate *c, int side,
			    const struct lanes *lanes, const uint32_t threads[2])
{
	const struct access *a = &c->access[side];

	json_begin(j, '{');
	put_text(j, "id", side ? "b" : "a");
	put_message(j, "message", lanes ? arena_printf(r->arena, "T%u", threads[side]) : a->thread ? a->thread : "a thread");
	put_begin(j, "locations", '[');
	if (lanes)
		put_steps(j, r, lanes, threads[side]);
	put_flow_access(j, r, (char)('a' + side), a, c->variable, lanes ? lanes->count + 1 : 1);
	json_end(j, ']');
	json_end(j, '}');
}

static void put_code_flow(struct json *j, const struct report *r, const struct candidate *c)
{
	struct lanes lanes;
	uint32_t threads[2];
	bool drawn = c->witness && lanes_read(r, c->id, &lanes) && meeting_threads(&lanes, threads);

	put_begin(j, "codeFlows", '[');
	json_begin(j, '{');
	put_message(j, "message", drawn ? "the steps of the two threads up to and after their meeting; last, the two accesses that met"
					: "nothing orders the two accesses");
	put_begin(j, "threadFlows", '[');
	for (int side = 0; side < 2; side++)
		put_thread_flow(j, r, c, side, drawn ? &lanes : NULL, threads);
	json_end(j, ']');
	json_end(j, '}');
	json_end(j, ']');
}

/* ---- results ---------------------------------------------------------------------------------- */

static void put_head(struct json *j, const struct report *r, int rule, const char *id, const char *text)
{
	put_text(j, "ruleId", rules[rule].id);
	put_number(j, "ruleIndex", (uint64_t)rule);
	put_text(j, "kind", rules[rule].shown ? "fail" : "open");
	put_text(j, "level", rules[rule].shown ? "error" : "none");
	put_message(j, "message", text);
	put_begin(j, "partialFingerprints", '{');
	put_text(j, "deadheatId/v1", id);
	json_end(j, '}');
	if (baseline_state(r, id))
		put_text(j, "baselineState", baseline_state(r, id));
}

static void put_suppressions(struct json *j, const char *reason)
{
	put_begin(j, "suppressions", '[');
	if (reason) {
		json_begin(j, '{');
		put_text(j, "kind", "external");
		put_text(j, "status", "accepted");
		put_text(j, "justification", reason);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_witness(struct json *j, const struct report *r, const char *id, const struct witness *w)
{
	if (!w)
		return;
	put_text(j, "replay", replay_line(r, id));
	put_seed(j, "seed", w->seed);
	put_text(j, "policy", w->policy);
	put_number(j, "steps", w->steps);
	put_number(j, "switches", w->switches);
	put_text(j, "outcome", w->outcome);
	put_text(j, "schedule", w->schedule);
}

static void put_tally(struct json *j, const struct candidate *c)
{
	put_begin(j, "outcomes", '{');
	for (size_t i = 0; i < c->outcome_count; i++) {
		const struct outcome *o = &c->outcomes[i];

		put_begin(j, o->name, '{');
		put_number(j, "count", o->count);
		put_number(j, "a_first", o->a_first);
		put_number(j, "b_first", o->b_first);
		put_flag(j, "harm", o->harm);
		json_end(j, '}');
	}
	json_end(j, '}');
}

static void put_properties(struct json *j, const struct report *r, const struct candidate *c)
{
	put_begin(j, "properties", '{');
	put_text(j, "rung", rung_name(c->rung));
	put_text(j, "found_by", finder_list(r->arena, c->found_by));
	if (c->variable)
		put_text(j, "variable", c->variable);
	if (c->memory)
		put_text(j, "memory", c->memory);
	put_number(j, "trials", c->trials);
	put_number(j, "hits", c->hits);
	put_tally(j, c);
	put_witness(j, r, c->id, c->witness);
	json_end(j, '}');
}

/* SARIF links: [text](id) names a related location. */
static const char *candidate_text(const struct report *r, const struct candidate *c)
{
	struct strbuf sb = STRBUF_INIT;
	const char *text;

	strbuf_printf(&sb, "%s. [a](1) is a %s in %s, [b](2) is a %s in %s.", report_title(r->arena, c),
		      access_words(r->arena, &c->access[0]), function_short(r->arena, c->access[0].function),
		      access_words(r->arena, &c->access[1]), function_short(r->arena, c->access[1].function));
	if (c->trials)
		strbuf_printf(&sb, " Hit in %u of %u trials.", c->hits, c->trials);
	if (report_hint(r, c))
		strbuf_printf(&sb, " Hint: %s.", report_hint(r, c));
	if (c->witness)
		strbuf_printf(&sb, " Repeat it: %s", replay_line(r, c->id));
	text = arena_strdup(r->arena, sb.buf);
	strbuf_release(&sb);
	return text;
}

static void put_candidate(struct json *j, const struct report *r, const void *finding)
{
	const struct candidate *c = finding;

	put_head(j, r, c->rung >= RUNG_CONFIRMED ? RULE_RACE : RULE_PAIR, c->id, candidate_text(r, c));
	put_begin(j, "locations", '[');
	json_begin(j, '{');
	put_access_place(j, r, &c->access[0]);
	json_end(j, '}');
	json_end(j, ']');
	put_begin(j, "relatedLocations", '[');
	for (int side = 0; side < 2; side++) {
		json_begin(j, '{');
		put_number(j, "id", (uint64_t)side + 1);
		put_access_place(j, r, &c->access[side]);
		put_message(j, "message", access_text(r->arena, (char)('a' + side), &c->access[side]));
		json_end(j, '}');
	}
	json_end(j, ']');
	put_begin(j, "stacks", '[');
	for (int side = 0; side < 2; side++)
		if (c->access[side].stack_count)
			put_stack(j, r, access_text(r->arena, (char)('a' + side), &c->access[side]), c->access[side].stack,
				  c->access[side].stack_count);
	json_end(j, ']');
	put_code_flow(j, r, c);
	put_suppressions(j, c->suppressed);
	if (c->hits)
		put_number(j, "occurrenceCount", c->hits);
	put_properties(j, r, c);
}

static const char *edge_text(struct arena *arena, const struct deadlock *d, const struct deadlock_edge *e)
{
	return arena_printf(arena, "holds %s, %s %s", e->holds ? e->holds : "??",
			    d->rung >= RUNG_CONFIRMED ? "waits for" : "asks for", e->waits_for ? e->waits_for : "??");
}

/* As a location of the wait; edges whose stack was lost have only their text. */
static void put_edge_place(struct json *j, const struct report *r, const struct deadlock *d, const struct deadlock_edge *e)
{
	if (e->stack_count) {
		put_physical(j, r, e->stack[0].file, e->stack[0].line, e->stack[0].column, &e->stack[0].place);
		put_function(j, e->stack[0].function);
	} else {
		put_physical(j, r, NULL, 0, 0, &e->wait_at);
	}
	put_message(j, "message", edge_text(r->arena, d, e));
}

/* A thread flow per thread of the cycle: they stand there at the same time. */
static void put_deadlock_flows(struct json *j, const struct report *r, const struct deadlock *d)
{
	put_begin(j, "codeFlows", '[');
	json_begin(j, '{');
	put_begin(j, "threadFlows", '[');
	for (size_t i = 0; i < d->edge_count; i++) {
		json_begin(j, '{');
		put_text(j, "id", arena_printf(r->arena, "%zu", i + 1));
		put_begin(j, "locations", '[');
		json_begin(j, '{');
		put_begin(j, "location", '{');
		put_edge_place(j, r, d, &d->edges[i]);
		json_end(j, '}');
		put_number(j, "executionOrder", 1);
		json_end(j, '}');
		json_end(j, ']');
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
	json_end(j, ']');
}

static void put_deadlock(struct json *j, const struct report *r, const void *finding)
{
	const struct deadlock *d = finding;

	put_head(j, r, d->rung >= RUNG_CONFIRMED ? RULE_DEADLOCK : RULE_CYCLE, d->id, deadlock_title(r->arena, d));
	put_begin(j, "locations", '[');
	for (size_t i = 0; i < d->edge_count && i < 1; i++) {
		json_begin(j, '{');
		put_edge_place(j, r, d, &d->edges[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
	put_begin(j, "relatedLocations", '[');
	for (size_t i = 1; i < d->edge_count; i++) {
		json_begin(j, '{');
		put_number(j, "id", i);
		put_edge_place(j, r, d, &d->edges[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
	put_begin(j, "stacks", '[');
	for (size_t i = 0; i < d->edge_count; i++)
		if (d->edges[i].stack_count)
			put_stack(j, r, edge_text(r->arena, d, &d->edges[i]), d->edges[i].stack, d->edges[i].stack_count);
	json_end(j, ']');
	if (d->edge_count)
		put_deadlock_flows(j, r, d);
	put_suppressions(j, d->suppressed);
	put_begin(j, "properties", '{');
	put_text(j, "rung", rung_name(d->rung));
	put_text(j, "found_by", finder_list(r->arena, d->found_by));
	put_number(j, "trials", d->trials);
	put_number(j, "hits", d->hits);
	put_witness(j, r, d->id, d->witness);
	json_end(j, '}');
}

static void put_failure(struct json *j, const struct report *r, const void *finding)
{
	const struct failure *f = finding;

	put_head(j, r, RULE_FAILURE, f->id, failure_title(r->arena, f));
	put_begin(j, "locations", '[');
	json_end(j, ']');
	put_suppressions(j, f->suppressed);
	if (f->count)
		put_number(j, "occurrenceCount", f->count);
	put_begin(j, "properties", '{');
	put_text(j, "failed_with", f->outcome);
	put_witness(j, r, f->id, f->witness);
	json_end(j, '}');
}

/* Known before, gone from the store: a consumer closes it by its fingerprint. */
static void put_absent(struct json *j, const struct report *r, const void *finding)
{
	const struct baseline_entry *e = finding;
	bool shown = rung_parse(e->rung) >= RUNG_CONFIRMED;
	int rule = RULE_FAILURE;

	if (!strcmp(e->kind, "race"))
		rule = shown ? RULE_RACE : RULE_PAIR;
	else if (!strcmp(e->kind, "deadlock"))
		rule = shown ? RULE_DEADLOCK : RULE_CYCLE;
	put_head(j, r, rule, e->id, e->title);
	put_begin(j, "locations", '[');
	json_end(j, ']');
	put_suppressions(j, NULL);
}

/* ---- the document ------------------------------------------------------------------------------- */

static void put_rules(struct json *j)
{
	put_begin(j, "rules", '[');
	for (size_t i = 0; i < RULE_COUNT; i++) {
		json_begin(j, '{');
		put_text(j, "id", rules[i].id);
		put_text(j, "name", rules[i].name);
		put_message(j, "shortDescription", rules[i].text);
		put_message(j, "fullDescription", rules[i].text);
		put_message(j, "help", rules[i].help);
		put_begin(j, "defaultConfiguration", '{');
		put_text(j, "level", rules[i].shown ? "error" : "none");
		json_end(j, '}');
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_tool(struct json *j)
{
	put_begin(j, "tool", '{');
	put_begin(j, "driver", '{');
	put_text(j, "name", "deadheat");
	put_text(j, "version", DEADHEAT_VERSION);
	put_rules(j);
	json_end(j, '}');
	json_end(j, '}');
}

static void put_losses(struct json *j, const struct report *r)
{
	put_begin(j, "toolExecutionNotifications", '[');
	for (size_t i = 0; i < r->findings.counter_count; i++) {
		const char *name = r->findings.counters[i].name;
		unsigned long long value = r->findings.counters[i].value;

		if (!value || !is_loss(name))
			continue;
		json_begin(j, '{');
		put_text(j, "level", "warning");
		put_message(j, "message", arena_printf(r->arena, "not everything was seen: %s %llu", name, value));
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_run(struct json *j, const struct report *r)
{
	put_tool(j);
	put_begin(j, "invocations", '[');
	json_begin(j, '{');
	put_flag(j, "executionSuccessful", true);
	put_losses(j, r);
	json_end(j, '}');
	json_end(j, ']');
	if (r->folder && *r->folder == '/') {
		put_begin(j, "originalUriBaseIds", '{');
		put_begin(j, ROOT, '{');
		put_text(j, "uri", arena_printf(r->arena, "%s%s", encode_uri(r->arena, "file://", r->folder),
						r->folder[1] ? "/" : ""));
		json_end(j, '}');
		json_end(j, '}');
	}
	put_text(j, "columnKind", "unicodeCodePoints");
	put_begin(j, "properties", '{');
	put_text(j, "verdict", verdict_name(r->verdict));
	put_begin(j, "counters", '{');
	for (size_t i = 0; i < r->findings.counter_count; i++)
		put_number(j, r->findings.counters[i].name, r->findings.counters[i].value);
	json_end(j, '}');
	json_end(j, '}');
}

typedef void result_writer(struct json *j, const struct report *r, const void *finding);

/* One line a result, written as it goes. */
static void write_results(const struct report *r, FILE *out, const char **lead, const void *items, size_t count, size_t size,
			  result_writer *write)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < count; i++) {
		struct json j = JSON_INIT(&line);

		strbuf_reset(&line);
		json_begin(&j, '{');
		write(&j, r, (const char *)items + i * size);
		json_end(&j, '}');
		fputs(*lead, out);
		fwrite(line.buf, 1, line.len, out);
		*lead = ",\n";
	}
	strbuf_release(&line);
}

int report_sarif(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;
	struct strbuf head = STRBUF_INIT;
	struct json j = JSON_INIT(&head);
	const char *lead = "\n";

	json_begin(&j, '{');
	put_run(&j, r);
	fprintf(out, "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\", \"runs\": [\n%s,\n"
		     "\"results\": [", head.buf);
	write_results(r, out, &lead, f->candidates, f->candidate_count, sizeof(*f->candidates), put_candidate);
	write_results(r, out, &lead, f->deadlocks, f->deadlock_count, sizeof(*f->deadlocks), put_deadlock);
	write_results(r, out, &lead, f->failures, f->failure_count, sizeof(*f->failures), put_failure);
	write_results(r, out, &lead, r->absent, r->absent_count, sizeof(*r->absent), put_absent);
	fputs("\n]}]}\n", out);
	strbuf_release(&head);
	return finish_report(out);
}
