/* sarif_result - a finding as a SARIF result. */
#include <string.h>

#include "report/sarif.h"

static void put_head(struct json *j, const struct report *r, int rule, const char *id, const char *text)
{
	put_text(j, "ruleId", sarif_rules[rule].id);
	put_number(j, "ruleIndex", (uint64_t)rule);
	put_text(j, "kind", sarif_rules[rule].shown ? "fail" : "open");
	put_text(j, "level", sarif_rules[rule].shown ? "error" : "none");
	sarif_message(j, "message", text);
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

/* Services show a result beside its location: of an access in a system header that is where it was called. */
static void put_own_place(struct json *j, const struct report *r, const struct access *a)
{
	const struct frame *own = own_frame(a);

	if (!own) {
		sarif_access(j, r, a);
		return;
	}
	sarif_place(j, r, own->file, own->line, own->column, &own->place);
	sarif_function(j, own->function);
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

void sarif_candidate(struct json *j, const struct report *r, const void *finding)
{
	const struct candidate *c = finding;

	put_head(j, r, c->rung >= RUNG_CONFIRMED ? RULE_RACE : RULE_PAIR, c->id, candidate_text(r, c));
	put_begin(j, "locations", '[');
	json_begin(j, '{');
	put_own_place(j, r, &c->access[0]);
	json_end(j, '}');
	json_end(j, ']');
	put_begin(j, "relatedLocations", '[');
	for (int side = 0; side < 2; side++) {
		json_begin(j, '{');
		put_number(j, "id", (uint64_t)side + 1);
		sarif_access(j, r, &c->access[side]);
		sarif_message(j, "message", sarif_access_text(r->arena, (char)('a' + side), &c->access[side]));
		json_end(j, '}');
	}
	json_end(j, ']');
	put_begin(j, "stacks", '[');
	for (int side = 0; side < 2; side++)
		if (c->access[side].stack_count)
			sarif_stack(j, r, sarif_access_text(r->arena, (char)('a' + side), &c->access[side]), c->access[side].stack,
				  c->access[side].stack_count);
	json_end(j, ']');
	sarif_code_flow(j, r, c);
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
		sarif_place(j, r, e->stack[0].file, e->stack[0].line, e->stack[0].column, &e->stack[0].place);
		sarif_function(j, e->stack[0].function);
	} else {
		sarif_place(j, r, NULL, 0, 0, &e->wait_at);
	}
	sarif_message(j, "message", edge_text(r->arena, d, e));
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

void sarif_deadlock(struct json *j, const struct report *r, const void *finding)
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
			sarif_stack(j, r, edge_text(r->arena, d, &d->edges[i]), d->edges[i].stack, d->edges[i].stack_count);
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

void sarif_failure(struct json *j, const struct report *r, const void *finding)
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
void sarif_absent(struct json *j, const struct report *r, const void *finding)
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
