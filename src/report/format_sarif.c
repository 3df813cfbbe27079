/*
 * format_sarif - SARIF 2.1.0 for code scanning services and editors.
 *
 * A finding is a result; its two sides are two thread flows of one code flow. With a
 * witness they hold the steps of the schedule, executionOrder counting over both; without
 * one each holds its access, with the same executionOrder: SARIF's way to say that nothing
 * orders them. What is not shown to happen has kind "open" and level "none" (SARIF: "there
 * was insufficient information to decide"): nothing below confirmed is called a race.
 */
#include "report/sarif.h"

const struct sarif_rule sarif_rules[RULE_COUNT] = {
	[RULE_RACE] = { "data-race", "DataRace", "Two threads access the same memory at the same time and one of them writes.",
	  "Both threads stood before their conflicting accesses at once, in a schedule that `deadheat replay` repeats. "
	  "Guard both accesses with one lock, or make both atomic.", true },
	[RULE_PAIR] = { "unconfirmed-pair", "UnconfirmedPair", "Two accesses with no common lock and no order seen between them.",
	  "Not shown to meet so far. `deadheat confirm` tries to make the two threads meet.", false },
	[RULE_DEADLOCK] = { "deadlock", "ActualDeadlock", "Threads wait for each other's locks and none can go on.",
	  "It happened, in a schedule that `deadheat replay` repeats. Take the locks in one order everywhere.", true },
	[RULE_CYCLE] = { "lock-cycle", "LockCycle", "Locks are taken in different orders by different threads.",
	  "Not shown to deadlock so far. `deadheat confirm` tries to.", false },
	[RULE_FAILURE] = { "failure", "FailedSchedule", "The program failed in a schedule that the operating system may choose too.",
	  "`deadheat replay` repeats the schedule, under gdb if asked.", true },
};

static void put_rules(struct json *j)
{
	put_begin(j, "rules", '[');
	for (size_t i = 0; i < RULE_COUNT; i++) {
		json_begin(j, '{');
		put_text(j, "id", sarif_rules[i].id);
		put_text(j, "name", sarif_rules[i].name);
		sarif_message(j, "shortDescription", sarif_rules[i].text);
		sarif_message(j, "fullDescription", sarif_rules[i].text);
		sarif_message(j, "help", sarif_rules[i].help);
		put_begin(j, "defaultConfiguration", '{');
		put_text(j, "level", sarif_rules[i].shown ? "error" : "none");
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
		sarif_message(j, "message", arena_printf(r->arena, "not everything was seen: %s %llu", name, value));
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
		put_begin(j, SARIF_ROOT, '{');
		put_text(j, "uri", arena_printf(r->arena, "%s%s", sarif_uri(r->arena, "file://", r->folder),
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

/* One line a result, written as it goes. */
static void write_results(const struct report *r, FILE *out, const char **lead, const void *items, size_t count, size_t size,
			  sarif_writer *write)
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
	write_results(r, out, &lead, f->candidates, f->candidate_count, sizeof(*f->candidates), sarif_candidate);
	write_results(r, out, &lead, f->deadlocks, f->deadlock_count, sizeof(*f->deadlocks), sarif_deadlock);
	write_results(r, out, &lead, f->failures, f->failure_count, sizeof(*f->failures), sarif_failure);
	write_results(r, out, &lead, r->absent, r->absent_count, sizeof(*r->absent), sarif_absent);
	fputs("\n]}]}\n", out);
	strbuf_release(&head);
	return finish_report(out);
}
