/*
 * report: the verdict, titles, the JSON schema of docs/report-schema.md field by field, and
 * a golden file of each format over one fixed set of findings (tests/golden/report.*).
 *
 * After a wanted change: UPDATE_GOLDEN=1 build/tests/unit/report, then read the diff.
 */
#include "report_fixture.h"

#include <jansson.h>

static char *print_json(struct fixture *f)
{
	return print(f, report_format("json"));
}

/* ---- verdict and gate ---------------------------------------------------------------- */

static void an_empty_store_is_clean(void **state)
{
	struct fixture *f = *state;
	char *text;

	build(f);
	assert_int_equal(f->report.verdict, VERDICT_CLEAN);
	assert_false(report_reaches(&f->report, RUNG_CLAIMED));
	text = print(f, report_format("text"));
	assert_string_equal(text, "verdict: clean: nothing was even suspected in these runs; other inputs may differ\n");
	free(text);
}

static void a_suspected_pair_is_undecided(void **state)
{
	struct fixture *f = *state;
	struct candidate pair = finding_pair();
	char *text;

	assert_int_equal(store_put_candidate(f->store, 0, &pair, NULL), 0);
	build(f);
	assert_int_equal(f->report.verdict, VERDICT_UNDECIDED);
	assert_true(report_reaches(&f->report, RUNG_SUSPECTED));
	assert_false(report_reaches(&f->report, RUNG_CONFIRMED));
	text = print(f, report_format("text"));
	assert_null(strstr(text, "race")); /* nothing below confirmed is called one */
	assert_null(strstr(text, "racy"));
	free(text);
	text = print(f, report_list);
	assert_null(strstr(text, "race"));
	free(text);
}

static void a_confirmed_pair_is_racy(void **state)
{
	struct fixture *f = *state;
	struct candidate race = finding_race();

	race.rung = RUNG_CONFIRMED;
	assert_int_equal(store_put_candidate(f->store, 0, &race, NULL), 0);
	build(f);
	assert_int_equal(f->report.verdict, VERDICT_RACY);
	assert_true(report_reaches(&f->report, RUNG_CONFIRMED));
	assert_false(report_reaches(&f->report, RUNG_HARMFUL));
}

static void deadlocks_count_once_they_happened(void **state)
{
	struct fixture *f = *state;
	struct deadlock_edge edges[2];
	struct deadlock d = finding_deadlock(edges, false);

	assert_int_equal(store_put_deadlock(f->store, 0, &d, NULL), 0);
	build(f);
	assert_int_equal(f->report.verdict, VERDICT_UNDECIDED);
	assert_false(report_reaches(&f->report, RUNG_CONFIRMED));
	d.rung = RUNG_HARMFUL;
	assert_int_equal(store_put_deadlock(f->store, 0, &d, NULL), 0);
	build(f);
	assert_true(report_reaches(&f->report, RUNG_HARMFUL));
}

static void titles_say_what_was_shown(void **state)
{
	struct fixture *f = *state;
	struct candidate c = finding_race();

	assert_string_equal(report_title(&f->arena, &c), "suspected pair: inc / flush on counter");
	c.rung = RUNG_CAUGHT;
	assert_string_equal(report_title(&f->arena, &c), "caught pair: inc / flush on counter");
	c.rung = RUNG_CONFIRMED;
	assert_string_equal(report_title(&f->arena, &c), "data race: inc / flush on counter");
	c.variable = NULL;
	c.access[1].function = NULL;
	assert_string_equal(report_title(&f->arena, &c), "data race: inc / ??");
	c.access[0].function = "std::vector<std::pair<long, int>, std::allocator<std::pair<long, int> > >::push_back<A, B>";
	c.access[1].function = "std::__invoke_impl<void, main(int, char**)::<lambda()> > unfinished<void, more";
	assert_string_equal(report_title(&f->arena, &c),
			    "data race: std::vector<...>::push_back<...> / std::__invoke_impl<...> unfinished<...>");
}

static void formats_are_a_table(void **state)
{
	assert_string_equal(report_format_names(), "text json sarif junit tsan github html");
	assert_null(report_format("yaml"));
}

/* ---- ids -------------------------------------------------------------------------------- */

static void prefixes_are_short_and_unique(void **state)
{
	static const char *const ids[] = { "7f3a100000000000", "7f3a200000000000", "7f3a210000000000", "aaaa000000000000" };
	struct fixture *f = *state;
	char *text;

	for (int i = 0; i < 4; i++) {
		struct candidate c = finding_race();

		strcpy(c.id, ids[i]);
		assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	}
	build(f);
	text = print(f, report_list);
	assert_non_null(strstr(text, "\n7f3a20 "));
	assert_non_null(strstr(text, "\n7f3a21 "));
	assert_non_null(strstr(text, "\naaaa "));
	assert_memory_equal(text, "7f3a1 ", 6);
	free(text);
}

static void another_store_is_in_the_replay_line(void **state)
{
	struct fixture *f = *state;
	char *text;

	put_findings(f->store);
	build(f);
	f->report.store = "my store";
	text = print(f, report_format("text"));
	assert_non_null(strstr(text, "deadheat replay --store 'my store' "));
	free(text);
}

/* ---- the schema, field by field -------------------------------------------------------------- */

/* Letters: s string, S string or null, i integer >= 0, I integer or null, b boolean, a array, o object, O object or null. */
struct field {
	const char *key;
	char type;
};

static bool has_type(const json_t *v, char type)
{
	switch (type) {
	case 's': return json_is_string(v);
	case 'S': return json_is_string(v) || json_is_null(v);
	case 'i': return json_is_integer(v) && json_integer_value(v) >= 0;
	case 'I': return json_is_null(v) || (json_is_integer(v) && json_integer_value(v) > 0);
	case 'b': return json_is_boolean(v);
	case 'a': return json_is_array(v);
	case 'o': return json_is_object(v);
	case 'O': return json_is_object(v) || json_is_null(v);
	}
	return false;
}

/* Exactly these keys, each of its type. */
static void check_fields(const json_t *o, const char *what, const struct field *fields, size_t count)
{
	const char *key;
	json_t *value;

	if (!json_is_object(o))
		fail_msg("%s is no object", what);
	for (size_t i = 0; i < count; i++)
		if (!has_type(json_object_get(o, fields[i].key), fields[i].type))
			fail_msg("%s.%s is missing or not of type '%c'", what, fields[i].key, fields[i].type);
	json_object_foreach((json_t *)o, key, value) {
		size_t i = 0;

		while (i < count && strcmp(fields[i].key, key))
			i++;
		if (i == count)
			fail_msg("%s.%s is not documented", what, key);
	}
}
#define CHECK(o, what, ...) check_fields(o, what, (const struct field[]){ __VA_ARGS__ }, \
	sizeof((const struct field[]){ __VA_ARGS__ }) / sizeof(struct field))

static void check_word(const json_t *v, const char *words)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "|%s|", json_string_value(v));
	if (!strstr(words, wanted))
		fail_msg("%s is none of %s", json_string_value(v), words);
}

static void check_stack(const json_t *stack)
{
	size_t i;
	json_t *frame;

	json_array_foreach((json_t *)stack, i, frame)
		CHECK(frame, "frame", { "function", 'S' }, { "file", 'S' }, { "line", 'I' }, { "column", 'I' },
		      { "inlined", 'b' }, { "module", 'S' }, { "offset", 'i' });
}

static void check_witness(const json_t *w)
{
	if (json_is_null(w))
		return;
	CHECK(w, "witness", { "seed", 'i' }, { "policy", 's' }, { "steps", 'i' }, { "switches", 'i' }, { "outcome", 's' },
	      { "schedule", 's' }, { "replay", 's' });
	assert_memory_equal(json_string_value(json_object_get(w, "replay")), "deadheat replay ", 16);
}

static void check_access(const json_t *a)
{
	size_t i;
	json_t *lock;

	CHECK(a, "access", { "kind", 's' }, { "atomic", 'b' }, { "size", 'i' }, { "function", 'S' }, { "file", 'S' },
	      { "line", 'I' }, { "column", 'I' }, { "thread", 'S' }, { "value", 'S' }, { "locks", 'a' }, { "stack", 'a' });
	check_word(json_object_get(a, "kind"), "|read|write|");
	json_array_foreach(json_object_get(a, "locks"), i, lock) {
		CHECK(lock, "lock", { "name", 's' }, { "mode", 's' });
		check_word(json_object_get(lock, "mode"), "|read|write|");
	}
	check_stack(json_object_get(a, "stack"));
}

static void check_id_and_finders(const json_t *o)
{
	size_t i;
	json_t *finder;

	assert_int_equal(strlen(json_string_value(json_object_get(o, "id"))), 16);
	check_word(json_object_get(o, "rung"), "|claimed|suspected|caught|confirmed|harmful|");
	json_array_foreach(json_object_get(o, "found_by"), i, finder)
		check_word(finder, "|scan|detect|sample|trap|user|confirm|");
}

static void check_candidate(const json_t *c)
{
	const json_t *accesses = json_object_get(c, "accesses"), *orders = json_object_get(c, "orders");
	json_int_t sum = 0;
	const char *name;
	json_t *count;

	CHECK(c, "candidate", { "id", 's' }, { "rung", 's' }, { "title", 's' }, { "found_by", 'a' }, { "variable", 'S' },
	      { "memory", 'S' }, { "accesses", 'a' }, { "trials", 'i' }, { "hits", 'i' }, { "outcomes", 'o' },
	      { "orders", 'o' }, { "suppressed", 'S' }, { "baseline", 'S' }, { "hint", 'S' }, { "witness", 'O' });
	check_id_and_finders(c);
	assert_int_equal(json_array_size(accesses), 2);
	check_access(json_array_get(accesses, 0));
	check_access(json_array_get(accesses, 1));
	json_object_foreach(json_object_get(c, "outcomes"), name, count) {
		assert_true(has_type(count, 'i'));
		sum += json_integer_value(count);
		CHECK(json_object_get(orders, name), "order", { "a_first", 'i' }, { "b_first", 'i' }, { "harm", 'b' });
	}
	assert_int_equal(sum, json_integer_value(json_object_get(c, "trials")));
	check_witness(json_object_get(c, "witness"));
}

static void check_deadlock(const json_t *d)
{
	size_t i;
	json_t *thread;

	CHECK(d, "deadlock", { "id", 's' }, { "rung", 's' }, { "title", 's' }, { "found_by", 'a' }, { "threads", 'a' },
	      { "trials", 'i' }, { "hits", 'i' }, { "suppressed", 'S' }, { "baseline", 'S' }, { "hint", 'S' },
	      { "witness", 'O' });
	check_id_and_finders(d);
	json_array_foreach(json_object_get(d, "threads"), i, thread) {
		CHECK(thread, "thread", { "waits_for", 's' }, { "holds", 's' }, { "stack", 'a' });
		check_stack(json_object_get(thread, "stack"));
	}
	check_witness(json_object_get(d, "witness"));
}

static void check_failure(const json_t *f)
{
	CHECK(f, "failure", { "id", 's' }, { "outcome", 's' }, { "message", 'S' }, { "count", 'i' },
	      { "suppressed", 'S' }, { "baseline", 'S' }, { "witness", 'O' });
	check_witness(json_object_get(f, "witness"));
}

static void each(const json_t *list, void (*check)(const json_t *))
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)list, i, item)
		check(item);
}

static void check_report(const json_t *r)
{
	const char *name;
	json_t *value;

	CHECK(r, "report", { "schema", 's' }, { "verdict", 's' }, { "candidates", 'a' }, { "deadlocks", 'a' },
	      { "failures", 'a' }, { "counters", 'o' });
	check_word(json_object_get(r, "schema"), "|deadheat-report/1|");
	check_word(json_object_get(r, "verdict"), "|racy|race-free|clean|undecided|");
	each(json_object_get(r, "candidates"), check_candidate);
	each(json_object_get(r, "deadlocks"), check_deadlock);
	each(json_object_get(r, "failures"), check_failure);
	json_object_foreach(json_object_get(r, "counters"), name, value)
		assert_true(has_type(value, 'i'));
}

static json_t *load(const char *text)
{
	json_error_t e;
	json_t *r = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	if (!r)
		fail_msg("line %d: %s", e.line, e.text);
	return r;
}

static void json_fits_the_schema(void **state)
{
	struct fixture *f = *state;
	char *text;
	json_t *r;

	build(f);
	text = print_json(f);
	r = load(text);
	check_report(r); /* empty */
	json_decref(r);
	free(text);
	put_findings(f->store);
	build(f);
	text = print_json(f);
	r = load(text);
	check_report(r);
	assert_int_equal(json_array_size(json_object_get(r, "candidates")), 2);
	assert_int_equal(json_array_size(json_object_get(r, "deadlocks")), 2);
	assert_int_equal(json_array_size(json_object_get(r, "failures")), 1);
	json_decref(r);
	free(text);
}

/* Names of files and functions may hold any bytes. */
static void odd_bytes_do_not_break_json(void **state)
{
	struct fixture *f = *state;
	struct candidate c = finding_race();
	struct witness w = { .seed = UINT64_MAX, .policy = "pair", .outcome = "exit 0" };
	char *text;
	json_t *r, *first;

	c.access[0].file = "a\xff\xfe.c";
	c.access[0].thread = "quote \" slash \\ tab \t bell \a";
	assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	assert_int_equal(store_put_witness(f->store, c.id, &w, "", 0), 0);
	build(f);
	text = print_json(f);
	r = load(text);
	first = json_array_get(json_object_get(r, "candidates"), 0);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(first, "accesses"), 0), "file")), "a??.c");
	assert_string_equal(json_string_value(json_object_get(json_object_get(first, "witness"), "seed")), "18446744073709551615");
	json_decref(r);
	free(text);
}

/* ---- golden ---------------------------------------------------------------------------------------- */

static const char *golden_path(const char *name)
{
	static char top[400], path[600];

	if (!*top && !getcwd(top, sizeof(top))) /* first called by main, at the top of the tree */
		abort();
	snprintf(path, sizeof(path), "%s/tests/golden/%s", top, name);
	return path;
}

static void compare_golden(const char *name, const char *text)
{
	struct strbuf wanted = STRBUF_INIT;
	FILE *file;

	if (getenv("UPDATE_GOLDEN")) {
		file = fopen(golden_path(name), "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
	if (strbuf_read_file(&wanted, golden_path(name)))
		fail_msg("%s", error_message());
	if (strcmp(wanted.buf, text))
		fail_msg("differs from tests/golden/%s (repeat: UPDATE_GOLDEN=1 build/tests/unit/report; git diff):\n%s", name, text);
	strbuf_release(&wanted);
}

static void check_width(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("too wide: %.*s", (int)strcspn(line, "\n"), line);
}

static const struct {
	const char *format, *file;
} golden[] = {
	{ "text", "report.txt" }, { "json", "report.json" }, { "sarif", "report.sarif" }, { "junit", "report.junit.xml" },
	{ "tsan", "report.tsan.txt" }, { "github", "report.github.txt" }, { "html", "report.html.json" },
};

/* Of the page its data: styles and script are files of their own. */
static void keep_data(char *page)
{
	char *data = strstr(page, "id=\"data\">\n"), *end = data ? strstr(data, "</script>") : NULL;

	assert_non_null(end);
	data += strlen("id=\"data\">\n");
	memmove(page, data, (size_t)(end - data));
	page[end - data] = 0;
}

static void golden_files_agree(void **state)
{
	struct fixture *f = *state;
	char *text;

	put_findings(f->store);
	build(f);
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		text = print(f, report_format(golden[i].format));
		if (!strcmp(golden[i].format, "text"))
			check_width(text);
		if (!strcmp(golden[i].format, "html"))
			keep_data(text);
		compare_golden(golden[i].file, text);
		free(text);
	}
	text = print(f, report_list);
	compare_golden("list.txt", text);
	free(text);
}

static void show_prints_one_finding(void **state)
{
	struct fixture *f = *state;
	struct candidate race = finding_race();
	struct failure failure = finding_failure();
	char *text = NULL;
	size_t size;
	FILE *out;

	put_findings(f->store);
	build(f);
	out = open_memstream(&text, &size);
	assert_int_equal(report_show(&f->report, out, race.id), 0);
	assert_int_equal(report_show(&f->report, out, failure.id), 0);
	assert_int_equal(report_show(&f->report, out, "00000000000000aa"), 0);
	assert_int_equal(report_show(&f->report, out, "ffffffffffffffff"), -1);
	fclose(out);
	assert_non_null(strstr(text, "data race: inc / flush on counter"));
	assert_non_null(strstr(text, "failure: SIGABRT"));
	assert_non_null(strstr(text, "suspected deadlock: "));
	assert_null(strstr(text, "verdict"));
	free(text);
}

/* A schedule of another version, cut short, or with wild counts is not drawn, and that is all. */
static void damaged_schedules_are_not_drawn(void **state)
{
	struct fixture *f = *state;
	struct candidate c = finding_race();
	struct witness w = { .seed = 1, .policy = "pair", .outcome = "exit 0" };
	struct strbuf schedule = STRBUF_INIT;

	put_schedule(&schedule);
	assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	for (size_t cut = 0; cut <= schedule.len; cut += 7) {
		struct schedule_file *head = (struct schedule_file *)schedule.buf;
		char *text;

		head->module_count = cut % 2 ? 0x7fffffff : 0;
		assert_int_equal(store_put_witness(f->store, c.id, &w, schedule.buf, cut), 0);
		build(f);
		text = print(f, report_format("text"));
		assert_non_null(strstr(text, "repeat it: deadheat replay"));
		free(text);
	}
	strbuf_release(&schedule);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_store_is_clean), TEST(a_suspected_pair_is_undecided), TEST(a_confirmed_pair_is_racy),
		TEST(deadlocks_count_once_they_happened), TEST(titles_say_what_was_shown), TEST(formats_are_a_table),
		TEST(prefixes_are_short_and_unique), TEST(another_store_is_in_the_replay_line), TEST(json_fits_the_schema),
		TEST(odd_bytes_do_not_break_json), TEST(golden_files_agree), TEST(show_prints_one_finding),
		TEST(damaged_schedules_are_not_drawn),
	};

	golden_path("");
	return cmocka_run_group_tests_name("report", tests, NULL, unit_clean);
}
