/* The byte layouts in docs/wire.md and docs/schedule-file.md are those of the headers. */
#include "unit.h"

#include "base/strbuf.h"
#include "wire/event.h"
#include "wire/plan.h"
#include "wire/schedule.h"
#include "wire/wire.h"

struct row {
	const char *field;
	size_t offset, size;
};
#define ROW(type, field) { #field, offsetof(struct type, field), sizeof(((struct type *)0)->field) }

static void expect(const struct strbuf *page, const char *name, const char *text)
{
	if (!strstr(page->buf, text))
		fail_msg("docs/%s lacks: %s", name, text);
}

static void check_rows(const char *name, const struct row *rows, size_t count)
{
	struct strbuf page = STRBUF_INIT, path = STRBUF_INIT;
	char line[128];

	strbuf_printf(&path, "docs/%s", name);
	assert_int_equal(strbuf_read_file(&page, path.buf), 0);
	for (size_t i = 0; i < count; i++) {
		snprintf(line, sizeof(line), "| %zu | %zu | `%s` |", rows[i].offset, rows[i].size, rows[i].field);
		expect(&page, name, line);
	}
	strbuf_release(&page);
	strbuf_release(&path);
}
#define CHECK_ROWS(name, ...) check_rows(name, (const struct row[]){ __VA_ARGS__ }, \
	sizeof((const struct row[]){ __VA_ARGS__ }) / sizeof(struct row))

static void check_sizes(const char *name, const char *const *words, const size_t *sizes, size_t count)
{
	struct strbuf page = STRBUF_INIT, path = STRBUF_INIT;
	char text[128];

	strbuf_printf(&path, "docs/%s", name);
	assert_int_equal(strbuf_read_file(&page, path.buf), 0);
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), words[i], sizes[i]);
		expect(&page, name, text);
	}
	strbuf_release(&page);
	strbuf_release(&path);
}

static void the_schedule_file_is_documented(void **state)
{
	static const char *const words[] = { "**Header**, %zu bytes", "**Step**, %zu bytes", "**Module**, %zu bytes",
					     "**Site**, %zu bytes", "**Edge**, %zu bytes" };
	const size_t sizes[] = { sizeof(struct schedule_file), sizeof(struct wire_step), sizeof(struct wire_plan_module),
				 sizeof(struct wire_plan_site), sizeof(struct wire_plan_edge) };

	CHECK_ROWS("schedule-file.md", ROW(schedule_file, magic), ROW(schedule_file, version), ROW(schedule_file, header_size),
		   ROW(schedule_file, build_id), ROW(schedule_file, candidate), ROW(schedule_file, seed), ROW(schedule_file, policy),
		   ROW(schedule_file, flags), ROW(schedule_file, step_count), ROW(schedule_file, final_hash),
		   ROW(schedule_file, module_count), ROW(schedule_file, site_count), ROW(schedule_file, edge_count),
		   ROW(schedule_file, outcome), ROW(wire_step, thread), ROW(wire_step, kind), ROW(wire_step, op),
		   ROW(wire_step, object), ROW(wire_step, chosen), ROW(wire_step, pc), ROW(wire_step, hash));
	check_sizes("schedule-file.md", words, sizes, 5);
}

static void the_wire_is_documented(void **state)
{
	static const char *const words[] = {
		"## Header, %zu bytes", "`wire_plan`, %zu bytes", "`wire_choice` %zu:", "| MODULE, %zu |", "| THREAD, %zu |",
		"| PAIR, %zu |", "| CYCLE, %zu |", "| NOTE, %zu |", "| END, %zu |", "`wire_access` %zu:", "`wire_lock` %zu:",
		"`wire_wait` %zu:", "| ABORT, %zu |",
	};
	const size_t sizes[] = {
		sizeof(struct wire_header), sizeof(struct wire_plan), sizeof(struct wire_choice), sizeof(struct wire_ev_module),
		sizeof(struct wire_ev_thread), sizeof(struct wire_ev_pair), sizeof(struct wire_ev_deadlock),
		sizeof(struct wire_ev_note), sizeof(struct wire_ev_end), sizeof(struct wire_access), sizeof(struct wire_lock),
		sizeof(struct wire_wait), sizeof(struct wire_ev_abort),
	};

	CHECK_ROWS("wire.md", ROW(wire_header, magic), ROW(wire_header, version), ROW(wire_header, runtime_version),
		   ROW(wire_header, runtime), ROW(wire_header, state), ROW(wire_header, claimed_pid), ROW(wire_header, wanted_runtime),
		   ROW(wire_header, total_size), ROW(wire_header, plan_offset), ROW(wire_header, plan_size),
		   ROW(wire_header, log_offset), ROW(wire_header, log_size), ROW(wire_header, log_reserved),
		   ROW(wire_header, steps_offset), ROW(wire_header, steps_size), ROW(wire_header, steps_used),
		   ROW(wire_header, step_hash), ROW(wire_header, counters), ROW(wire_header, refusal), ROW(wire_plan, size),
		   ROW(wire_plan, flags), ROW(wire_plan, seed), ROW(wire_plan, rule), ROW(wire_plan, sample),
		   ROW(wire_plan, sample_ppm), ROW(wire_plan, run), ROW(wire_plan, policy), ROW(wire_plan, fill_policy),
		   ROW(wire_plan, depth), ROW(wire_plan, fairness), ROW(wire_plan, length), ROW(wire_plan, step_limit),
		   ROW(wire_plan, wall_ms), ROW(wire_plan, module_count), ROW(wire_plan, site_count), ROW(wire_plan, edge_count),
		   ROW(wire_plan, choice_count));
	check_sizes("wire.md", words, sizes, sizeof(sizes) / sizeof(sizes[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schedule_file_is_documented), cmocka_unit_test(the_wire_is_documented),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
