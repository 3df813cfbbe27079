/*
 * report_formats: every field of the model shows in every format that has a word for it.
 *
 * One field after the other is changed in the report (not in the store) and all formats are
 * printed again: those named in the table must differ, the others must not. The table is
 * what the formats promise; docs/report-formats.md says it in words.
 */
#include "report_fixture.h"

#include "report/internal.h"
#include "report/lanes.h"

static const char *const formats[] = { "text", "json", "sarif", "junit", "tsan", "github", "html" };
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

#define ALL "text json sarif junit tsan github html"
#define NOT_TSAN "text json sarif junit github html"
#define FULL "text json sarif junit html" /* those with room for everything */

/* The report holds const; here is where it is changed. */
struct parts {
	struct candidate *race;
	struct access *a;
	struct held_lock *lock; /* of side b */
	struct frame *frame;    /* of side a */
	struct outcome *bad;
	struct witness *witness;
	struct deadlock *deadlock;
	struct deadlock_edge *edge;
	struct failure *failure;
};

static struct parts parts_of(struct report *r)
{
	struct candidate *race = &r->findings.candidates[0];

	return (struct parts){ .race = race, .a = &race->access[0], .lock = (struct held_lock *)race->access[1].locks,
			       .frame = (struct frame *)race->access[0].stack, .bad = (struct outcome *)&race->outcomes[1],
			       .witness = (struct witness *)race->witness, .deadlock = &r->findings.deadlocks[0],
			       .edge = (struct deadlock_edge *)r->findings.deadlocks[0].edges,
			       .failure = &r->findings.failures[0] };
}

/* Change number n; its name, and in *must the formats that show it. NULL: there is none. */
static const char *change(struct report *r, int n, const char **must)
{
	static const struct candidate suppressed = { .suppressed = "known" };
	struct parts p = parts_of(r);

#define CHANGE(what, shown_in, ...) if (n-- == 0) { __VA_ARGS__; *must = shown_in; return what; }
	CHANGE("id", NOT_TSAN, memcpy(p.race->id, "0123456789abcdef", 16))
	CHANGE("rung to confirmed", NOT_TSAN, p.race->rung = RUNG_CONFIRMED)
	CHANGE("rung to suspected", ALL, p.race->rung = RUNG_SUSPECTED)
	CHANGE("found_by", FULL, p.race->found_by |= FINDER_USER)
	CHANGE("variable", ALL, p.race->variable = "other")
	CHANGE("memory", NOT_TSAN, p.race->memory = "global of somebody else")
	CHANGE("memory on the heap", ALL, p.race->memory = "heap block of 8 bytes")
	CHANGE("trials", NOT_TSAN, p.race->trials++)
	CHANGE("hits", NOT_TSAN, p.race->hits--)
	CHANGE("suppressed", ALL, p.race->suppressed = suppressed.suppressed)
	CHANGE("outcome's name", NOT_TSAN, p.bad->name = "SIGSEGV")
	CHANGE("outcome's count", NOT_TSAN, p.bad->count++)
	CHANGE("outcome's a_first", FULL, p.bad->a_first++)
	CHANGE("outcome's b_first", FULL, p.bad->b_first++)
	CHANGE("outcome's harm", NOT_TSAN, p.bad->harm = false)
	CHANGE("witness", NOT_TSAN, p.race->witness = NULL)
	CHANGE("witness's seed", FULL, p.witness->seed++)
	CHANGE("witness's policy", FULL, p.witness->policy = "pct")
	CHANGE("witness's steps", FULL, p.witness->steps++)
	CHANGE("witness's switches", FULL, p.witness->switches++)
	CHANGE("witness's outcome", FULL, p.witness->outcome = "hang")
	CHANGE("witness's schedule", "json sarif html", p.witness->schedule = "elsewhere")
	CHANGE("kind", ALL, p.a->flags = ACCESS_READ)
	CHANGE("atomic", ALL, p.a->flags |= ACCESS_ATOMIC)
	CHANGE("size", ALL, p.a->size = 8)
	CHANGE("function", ALL, p.a->function = "other")
	CHANGE("file", ALL, p.a->file = "other.c")
	CHANGE("line", ALL, p.a->line++)
	CHANGE("column", ALL, p.a->column++)
	CHANGE("thread", ALL, p.a->thread = "T9, created at other.c:1")
	CHANGE("value", NOT_TSAN, p.a->value = "7 -> 8")
	CHANGE("lock's name", ALL, p.lock->name = "other.lock")
	CHANGE("lock's mode", ALL, p.lock->mode = LOCK_READ)
	CHANGE("no locks", ALL, p.race->access[1].lock_count = 0)
	CHANGE("frame's function", FULL " tsan", p.frame->function = "other")
	CHANGE("frame's file", FULL " tsan", p.frame->file = "other.c")
	CHANGE("frame's line", FULL " tsan", p.frame->line++)
	CHANGE("frame's column", FULL " tsan", p.frame->column++)
	CHANGE("frame's inlining", "text json junit html", p.frame->inlined = false)
	CHANGE("frame's module", "json sarif tsan html", p.frame->place.module = "/lib/other.so")
	CHANGE("frame's offset", "json tsan html", p.frame->place.offset++)
	CHANGE("fewer frames", FULL " tsan", p.a->stack_count--)
	CHANGE("deadlock's rung", NOT_TSAN, p.deadlock->rung = RUNG_SUSPECTED)
	CHANGE("deadlock's finders", FULL, p.deadlock->found_by |= FINDER_CONFIRM)
	CHANGE("what is held", ALL, p.edge->holds = "other.lock")
	CHANGE("what is waited for", ALL, p.edge->waits_for = "other.lock")
	CHANGE("deadlock's stack", ALL, p.edge->stack_count = 0)
	CHANGE("deadlock's trials", FULL, p.deadlock->trials = 3)
	CHANGE("deadlock's hits", FULL, p.deadlock->trials = 3, p.deadlock->hits = 2)
	CHANGE("deadlock's witness", NOT_TSAN, p.deadlock->witness = p.witness)
	CHANGE("deadlock suppressed", ALL, p.deadlock->suppressed = suppressed.suppressed)
	CHANGE("failure suppressed", ALL, p.failure->suppressed = suppressed.suppressed)
	CHANGE("failure's outcome", NOT_TSAN, p.failure->outcome = "SIGFPE")
	CHANGE("failure's message", NOT_TSAN, p.failure->message = "Assertion `other' failed")
	CHANGE("failure's count", NOT_TSAN, p.failure->count++)
	CHANGE("failure's witness", NOT_TSAN, p.failure->witness = p.witness)
	CHANGE("no failure", ALL, r->findings.failure_count = 0)
	CHANGE("a loss", FULL, r->findings.counters[0].value++)
	CHANGE("a counter", "json sarif junit html", r->findings.counters[r->findings.counter_count - 1].value++)
	CHANGE("verdict", NOT_TSAN, r->verdict = VERDICT_UNDECIDED)
	CHANGE("baseline", FULL, report_set_baseline(r, NULL, 0))
	CHANGE("known in the baseline", FULL, report_set_baseline(r, (const char *[]){ p.race->id }, 1))
	CHANGE("store", NOT_TSAN, r->store = "elsewhere")
	return NULL;
}

static bool has_word(const char *words, const char *word)
{
	for (const char *at = words; (at = strstr(at, word)); at++)
		if ((at == words || at[-1] == ' ') && (!at[strlen(word)] || at[strlen(word)] == ' '))
			return true;
	return false;
}

static void changes_show(void **state)
{
	struct fixture *f = *state;
	char *before[FORMATS];
	const char *what, *must;
	int n;

	put_findings(f->store);
	build(f);
	for (size_t i = 0; i < FORMATS; i++)
		before[i] = print(f, report_format(formats[i]));
	for (n = 0;; n++) {
		build(f);
		what = change(&f->report, n, &must);
		if (!what)
			break;
		for (size_t i = 0; i < FORMATS; i++) {
			char *after = print(f, report_format(formats[i]));
			bool differs = strcmp(before[i], after), wanted = has_word(must, formats[i]);

			if (differs != wanted)
				fail_msg("a change of '%s' %s in %s", what, differs ? "shows" : "does not show", formats[i]);
			free(after);
		}
	}
	for (size_t i = 0; i < FORMATS; i++)
		free(before[i]);
	assert_true(n > 50);
}

static void the_table_is_all_formats(void **state)
{
	assert_string_equal(report_format_names(), ALL);
}

/* ---- nothing below confirmed is a race ---------------------------------------------------- */

/* Rules, help and the page itself may explain the word; findings may not claim it. */
static void suspected_is_no_race(void **state)
{
	static const char *const quiet[] = { "text", "json", "tsan", "github" };
	struct fixture *f = *state;
	struct candidate pair = finding_pair();

	assert_int_equal(store_put_candidate(f->store, 0, &pair, NULL), 0);
	build(f);
	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
		char *text = print(f, report_format(quiet[i]));

		if (strstr(text, "race") || strstr(text, "WARNING") || strstr(text, "::error"))
			fail_msg("%s: %s", quiet[i], text);
		free(text);
	}
}

/* ---- odd bytes ------------------------------------------------------------------------------- */

static struct candidate odd_finding(void)
{
	struct candidate c = finding_race();

	c.rung = RUNG_CONFIRMED;
	c.access[0].function = "f<a, b>::g</script><img src=x>\xff & \"quoted\" ]]>";
	c.access[0].file = "100%, a:b \xc3\xa9 <c>.c";
	c.access[0].thread = "T1\x01\x1b[31m, created at x\n::error::forged";
	c.variable = "a\r\n::error::forged <!-- b </script><img>";
	return c;
}

static void odd_bytes_stay_data(void **state)
{
	struct fixture *f = *state;
	struct candidate c = odd_finding();
	char *text, *at;

	assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	build(f);
	text = print(f, report_format("github"));
	assert_null(strstr(text, "\n::error::forged"));
	assert_non_null(strstr(text, "file=100%25%2C a%3Ab \xc3\xa9 <c>.c,line=12,"));
	free(text);
	text = print(f, report_format("html"));
	at = strstr(text, "id=\"data\">");
	assert_non_null(at);
	at += strlen("id=\"data\">");
	assert_memory_equal(strchr(at, '<'), "</script>\n<script>\n", 19);
	assert_non_null(strstr(at, "\\u003c!-- b \\u003c/script>\\u003cimg>"));
	assert_null(strstr(text, "<img"));
	free(text);
	text = print(f, report_format("sarif"));
	assert_non_null(strstr(text, "\"uri\": \"100%25%2C%20a%3Ab%20%C3%A9%20%3Cc%3E.c\""));
	free(text);
}

/* ---- hints ------------------------------------------------------------------------------------- */

static const struct held_lock one[] = { { "queue.lock", LOCK_WRITE } }, other[] = { { "log.lock", LOCK_WRITE } },
			      reading[] = { { "queue.lock", LOCK_READ } };

static const char *hint_with(struct fixture *f, struct candidate c, const struct held_lock *a, const struct held_lock *b)
{
	c.access[0].locks = a;
	c.access[0].lock_count = a != NULL;
	c.access[1].locks = b;
	c.access[1].lock_count = b != NULL;
	return report_hint(&f->report, &c);
}

static void hints_are_plain(void **state)
{
	struct fixture *f = *state;
	struct candidate c = finding_race();

	build(f);
	c.access[1].flags = ACCESS_READ;
	assert_null(hint_with(f, c, NULL, NULL)); /* nothing is plain */
	assert_string_equal(hint_with(f, c, NULL, one), "a holds no lock, b holds queue.lock: take queue.lock at counter.c:12:9 too");
	assert_string_equal(hint_with(f, c, one, NULL), "b holds no lock, a holds queue.lock: take queue.lock at counter.c:31:2 too");
	assert_string_equal(hint_with(f, c, one, other),
			    "a holds queue.lock, b holds log.lock: different locks do not exclude each other; one of them must guard both");
	assert_null(hint_with(f, c, one, one)); /* two objects of one name */
	assert_string_equal(hint_with(f, c, reading, reading),
			    "both hold queue.lock, but only for reading; a writes and must hold it for writing");
	c.access[1].flags = ACCESS_READ | ACCESS_ATOMIC;
	assert_string_equal(hint_with(f, c, NULL, NULL), "b is atomic, a is not: both must be");
	c.access[1].flags = ACCESS_WRITE | ACCESS_FREE;
	assert_string_equal(hint_with(f, c, NULL, NULL),
			    "b frees the memory while a may still use it: free it when that thread is done");
}

static void hints_count_the_other_accesses(void **state)
{
	struct fixture *f = *state;
	struct candidate c = finding_race(), second = finding_race();

	second.access[0].line = 50;
	second.access[1].line = 60;
	second.access[0].ordinal = second.access[1].ordinal = 50;
	second.access[0].locks = second.access[1].locks = one;
	second.access[0].lock_count = second.access[1].lock_count = 1;
	candidate_identify(&second);
	assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	assert_int_equal(store_put_candidate(f->store, 0, &second, NULL), 0);
	build(f);
	c.access[1].flags = ACCESS_READ;
	assert_string_equal(hint_with(f, c, NULL, one), "a holds no lock, b holds queue.lock (as do all 2 other accesses found of "
							"counter): take queue.lock at counter.c:12:9 too");
	assert_string_equal(hint_with(f, c, NULL, NULL), "neither side holds a lock; 2 of 2 other accesses found of counter hold queue.lock");
	assert_string_equal(hint_with(f, c, other, one), "a holds log.lock, b holds queue.lock: different locks do not exclude each "
							 "other; the other accesses hold queue.lock");
}

/* ---- the terminal ---------------------------------------------------------------------------------- */

static char *print_wide(struct fixture *f, int width)
{
	char *text = NULL;
	size_t size;
	struct ink ink = { .out = open_memstream(&text, &size), .width = width, .plain = "", .bold = "", .dim = "", .red = "",
			   .green = "", .yellow = "" };

	print_candidate(&f->report, &ink, &f->report.findings.candidates[0]);
	fclose(ink.out);
	return text;
}

static size_t widest(const char *text)
{
	size_t width = 0;

	for (; *text; text += strcspn(text, "\n") + 1)
		width = strcspn(text, "\n") > width ? strcspn(text, "\n") : width;
	return width;
}

static void sides_stand_beside_each_other_where_there_is_room(void **state)
{
	struct fixture *f = *state;
	char *text;

	put_findings(f->store);
	build(f);
	text = print_wide(f, 120);
	assert_non_null(strstr(text, "  a  write of 4 bytes in inc at counter.c:12:9 "));
	assert_non_null(strstr(text, "     by T1, created at counter.c:41                               by main thread\n"));
	assert_true(widest(text) <= 120);
	free(text);
	text = print_wide(f, 80);
	assert_non_null(strstr(text, "  a  write of 4 bytes in inc at counter.c:12:9\n"));
	assert_true(widest(text) <= 80);
	free(text);
	f->report.findings.candidates[0].access[1].function = "a_name_that_is_longer_than_half_of_the_terminal_is_wide";
	text = print_wide(f, 120); /* nothing is cut: one above the other again */
	assert_non_null(strstr(text, "  a  write of 4 bytes in inc at counter.c:12:9\n"));
	free(text);
}

/* ---- one's own code ------------------------------------------------------------------------------- */

static void an_access_in_a_header_is_told_by_its_caller(void **state)
{
	static const struct frame stack[] = {
		{ "std::vector::size", "/usr/include/c++/12/bits/stl_vector.h", 988, 40, true, { "", "/w/p", 1 } },
		{ "count", "counter.c", 12, 9, false, { "", "/w/p", 1 } },
		{ "std::thread::_State_impl<x>::_M_run", "/usr/include/c++/12/bits/std_thread.h", 210, 2, false, { "", "/w/p", 2 } },
		{ NULL, NULL, 0, 0, false, { "", "/usr/lib/libstdc++.so.6", 3 } },
		{ "start_thread", "nptl/pthread_create.c", 442, 8, false, { "", "/usr/lib/libc.so.6", 4 } },
	};
	struct fixture *f = *state;
	struct candidate c = finding_race();
	char *text;

	c.rung = RUNG_CONFIRMED;
	c.access[0].file = stack[0].file;
	c.access[0].line = stack[0].line;
	c.access[0].stack = stack;
	c.access[0].stack_count = 5;
	c.access[0].thread = "T2, created at _ZNSt6thread15_M_start_threadESt10unique_ptr in libstdc++.so.6";
	assert_int_equal(stack_depth(stack, 5), 2);
	assert_ptr_equal(own_frame(&c.access[0]), &stack[1]);
	assert_null(own_frame(&c.access[1])); /* it is its own */
	assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	build(f);
	text = print(f, report_format("text"));
	assert_non_null(strstr(text, "     by T2, created by std::thread\n"));
	assert_non_null(strstr(text, "     called at counter.c:12:9\n         11 | {\n     >   12 | "));
	free(text);
	text = print(f, report_format("github"));
	assert_memory_equal(text, "::error file=counter.c,line=12,col=9,", 37);
	free(text);
}

/* ---- the lanes ------------------------------------------------------------------------------------ */

/* Lines with the steps they stand for; a repeat stands for its stretch, times over. */
static size_t steps_told(const struct lanes *lanes)
{
	size_t told = 0;

	for (size_t i = 0; i < lanes->count; i++) {
		const struct lane_line *line = &lanes->lines[i];

		if (line->kind == LANE_GAP)
			told += line->count;
		else if (line->kind == LANE_AGAIN)
			for (size_t k = i - line->span; k < i; k++)
				told += line->count * (lanes->lines[k].kind == LANE_GAP ? lanes->lines[k].count : 1);
		else
			told += line->kind != LANE_END;
	}
	return told;
}

static struct wire_step random_step(unsigned *seed)
{
	static const uint16_t kinds[] = { STEP_TURN, STEP_TURN, STEP_TURN, STEP_CHOICE, STEP_ACCESS, STEP_HIT, STEP_WATCHDOG };
	static const uint16_t ops[] = { OP_LOCK, OP_UNLOCK, OP_ACCESS, OP_ACCESS, OP_JOIN, OP_EXIT, OP_CREATE };
	unsigned thread = (unsigned)rand_r(seed) % 3;

	return step(thread, kinds[(unsigned)rand_r(seed) % 7], ops[(unsigned)rand_r(seed) % 7], (thread + 1) % 3);
}

/* A stretch of random steps, several times over: there is something to fold, to cut and to leave out. */
static void put_random_schedule(struct strbuf *out, unsigned seed)
{
	struct wire_step steps[64];
	struct schedule_file head = { .magic = SCHEDULE_MAGIC, .version = SCHEDULE_VERSION, .header_size = sizeof(head) };
	size_t stretches = 1 + seed % 40;

	head.step_count = 0;
	strbuf_reset(out);
	strbuf_add(out, &head, sizeof(head));
	for (size_t i = 0; i < stretches; i++) {
		size_t length = 1 + (size_t)rand_r(&seed) % 6, times = 1 + (size_t)rand_r(&seed) % 4;

		for (size_t k = 0; k < length; k++)
			steps[k] = random_step(&seed);
		for (size_t k = 0; k < times; k++)
			strbuf_add(out, steps, length * sizeof(*steps));
		((struct schedule_file *)out->buf)->step_count += length * times;
	}
}

static void no_step_is_left_out_silently(void **state)
{
	struct fixture *f = *state;
	struct candidate c = finding_race();
	struct witness w = { .seed = 1, .policy = "pair", .outcome = "exit 0" };
	struct strbuf schedule = STRBUF_INIT;
	struct lanes lanes;

	assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	build(f);
	for (unsigned seed = 0; seed < 200; seed++) {
		put_random_schedule(&schedule, seed);
		assert_int_equal(store_put_witness(f->store, c.id, &w, schedule.buf, schedule.len), 0);
		assert_true(lanes_read(&f->report, c.id, &lanes));
		if (steps_told(&lanes) != lanes.steps)
			fail_msg("seed %u: %zu steps told of %zu", seed, steps_told(&lanes), lanes.steps);
		assert_true(lanes.count < 60);
	}
	strbuf_release(&schedule);
}

static void a_long_schedule_is_short_to_read(void **state)
{
	struct fixture *f = *state;
	struct candidate c = finding_race();
	struct witness w = { .seed = 1, .policy = "pair", .outcome = "exit 0" };
	struct schedule_file head = { .magic = SCHEDULE_MAGIC, .version = SCHEDULE_VERSION, .header_size = sizeof(head),
				      .step_count = 400000 };
	struct strbuf schedule = STRBUF_INIT;
	struct lanes lanes;
	unsigned seed = 1;

	strbuf_add(&schedule, &head, sizeof(head));
	for (size_t i = 0; i < head.step_count; i++) {
		struct wire_step s = random_step(&seed);

		strbuf_add(&schedule, &s, sizeof(s));
	}
	assert_int_equal(store_put_candidate(f->store, 0, &c, NULL), 0);
	assert_int_equal(store_put_witness(f->store, c.id, &w, schedule.buf, schedule.len), 0);
	build(f);
	assert_true(lanes_read(&f->report, c.id, &lanes));
	assert_true(lanes.count < 60);
	assert_int_equal(steps_told(&lanes), lanes.steps);
	strbuf_release(&schedule);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(changes_show), TEST(the_table_is_all_formats), TEST(suspected_is_no_race), TEST(odd_bytes_stay_data),
		TEST(hints_are_plain), TEST(hints_count_the_other_accesses),
		TEST(sides_stand_beside_each_other_where_there_is_room), TEST(no_step_is_left_out_silently),
		TEST(an_access_in_a_header_is_told_by_its_caller),
		TEST(a_long_schedule_is_short_to_read),
	};

	return cmocka_run_group_tests_name("report_formats", tests, NULL, unit_clean);
}
