/* Outcome words, harm against a reference, the schedule file and its comparison. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "confirm/internal.h"

static struct ending judged(const struct wire_ev_end *end, int status, bool killed, const char *output)
{
	struct ending ending = { 0 };

	judge_ending(&ending, end, NULL, status, killed, output);
	return ending;
}

static void words_of_the_kernel(void **state)
{
	assert_string_equal(judged(NULL, 0, false, "").outcome, "exit 0");
	assert_true(judged(NULL, 0, false, "").normal);
	assert_string_equal(judged(NULL, 3 << 8, false, "").outcome, "exit 3");
	assert_string_equal(judged(NULL, SIGSEGV, false, "").outcome, "SIGSEGV");
	assert_false(judged(NULL, SIGSEGV, false, "").normal);
	assert_string_equal(judged(NULL, SIGKILL, true, "").outcome, "watchdog");
}

static void words_of_the_scheduler(void **state)
{
	struct wire_ev_end end = { .how = WIRE_END_DEADLOCK };

	assert_string_equal(judged(&end, 1 << 8, false, "").outcome, "deadlock");
	end.how = WIRE_END_HANG;
	assert_string_equal(judged(&end, 1 << 8, false, "").outcome, "hang");
	end.how = WIRE_END_WATCHDOG;
	assert_string_equal(judged(&end, SIGKILL, true, "").outcome, "watchdog");
	end.how = WIRE_END_ERROR;
	assert_string_equal(judged(&end, SIGABRT, false, "").outcome, "SIGABRT");
	end.how = WIRE_END_ASSUME;
	assert_false(judged(&end, 0, false, "").counts);
}

static void text_of_the_program(void **state)
{
	const char *asan = "x\n==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x6 at pc 0x5\n more\n";
	const char *assertion = "a line\np: p.c:7: main: Assertion `x == 1' failed.\n";

	assert_string_equal(judged(NULL, 1 << 8, false, asan).outcome, "sanitizer report");
	assert_string_equal(judged(NULL, 1 << 8, false, asan).message, "ERROR: AddressSanitizer: heap-use-after-free");
	assert_string_equal(judged(NULL, SIGABRT, false, assertion).outcome, "SIGABRT");
	assert_string_equal(judged(NULL, SIGABRT, false, assertion).message,
			    "p: p.c:7: main: Assertion `x == 1' failed.");
	assert_null(judged(NULL, 0, false, "just text\n").message);
}

static void add(struct reference *reference, int status)
{
	struct ending ending = judged(NULL, status, false, "");

	reference_add(reference, &ending);
}

static void harm_is_what_the_plain_run_lacks(void **state)
{
	struct reference good = { .output = STRBUF_INIT }, failing = { .output = STRBUF_INIT };
	struct reference crashing = { .output = STRBUF_INIT };

	add(&good, 0);
	assert_false(reference_harm(&good, "exit 0"));
	assert_true(reference_harm(&good, "exit 1"));
	assert_true(reference_harm(&good, "deadlock"));
	add(&failing, 1 << 8);
	assert_false(reference_harm(&failing, "exit 1"));
	assert_false(reference_harm(&failing, "exit 0"));
	assert_true(reference_harm(&failing, "exit 2"));
	assert_true(reference_harm(&failing, "SIGABRT"));
	add(&crashing, SIGABRT);
	assert_false(reference_harm(&crashing, "SIGABRT"));
	assert_true(reference_harm(&crashing, "SIGSEGV"));
	add(&crashing, 0); /* it can end well after all */
	assert_true(reference_harm(&crashing, "SIGABRT"));
	reference_free(&good);
	reference_free(&failing);
	reference_free(&crashing);
}

static void make_trial(struct trial *trial)
{
	struct wire_step steps[3] = {
		{ .thread = 0, .kind = STEP_TURN, .op = OP_LOCK, .object = 3 },
		{ .thread = 1, .kind = STEP_ACCESS, .op = OP_ACCESS },
		{ .thread = 1, .kind = STEP_CHOICE, .op = OP_RESOLVE, .chosen = 1, .hash = 9 },
	};
	struct wire_plan_module module = { .build_id = "abcd", .path = "/lib/x.so" };

	*trial = (struct trial)TRIAL_INIT;
	trial->seed = 42;
	trial->ending.outcome = "SIGABRT";
	trial->hash = 99;
	strbuf_add(&trial->schedule, steps, sizeof(steps));
	strbuf_add(&trial->modules, &module, sizeof(module));
}

static void schedule_comes_back(void **state)
{
	struct wire_plan_module modules[2] = { { .build_id = "other" }, { .build_id = "abcd" } };
	struct wire_plan_site site = { .module = 1, .offset = 0x1234, .side = WIRE_SIDE_B };
	struct wire_plan_parts parts = { .modules = modules, .module_count = 2, .sites = &site, .site_count = 1 };
	struct strbuf file = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	struct wire_choice *choices;
	struct schedule schedule;
	struct trial trial;

	make_trial(&trial);
	schedule_encode(&file, "feed", &trial, &parts, "0123456789abcdef");
	assert_int_equal(schedule_decode(&schedule, file.buf, file.len, "id"), 0);
	assert_string_equal(schedule.head->build_id, "feed");
	assert_string_equal(schedule.head->outcome, "SIGABRT");
	assert_int_equal(schedule.head->step_count, 3);
	assert_int_equal(schedule.sites[0].module, 0); /* the trial's table, not the plan's */
	assert_int_equal(schedule_choices(&arena, schedule.steps, 3, true, &choices), 2);
	assert_int_equal(choices[1].chosen, 1);
	assert_int_equal(choices[1].hash, 9);
	trial_free(&trial);
	strbuf_release(&file);
	arena_free(&arena);
}

static void damaged_schedules_are_refused(void **state)
{
	struct wire_plan_parts parts = { 0 };
	struct strbuf file = STRBUF_INIT;
	struct schedule schedule;
	struct trial trial;

	make_trial(&trial);
	schedule_encode(&file, "feed", &trial, &parts, "id");
	for (size_t size = 0; size < file.len; size++)
		assert_int_equal(schedule_decode(&schedule, file.buf, size, "id"), -1);
	((struct schedule_file *)file.buf)->version = 7;
	assert_int_equal(schedule_decode(&schedule, file.buf, file.len, "id"), -1);
	assert_non_null(strstr(error_message(), "version 7"));
	trial_free(&trial);
	strbuf_release(&file);
}

static void the_first_difference_is_named(void **state)
{
	struct wire_step a[2] = { { .kind = STEP_TURN, .op = OP_LOCK, .object = 3 }, { .thread = 1, .kind = STEP_TURN, .op = OP_JOIN } };
	struct wire_step b[2];
	struct arena arena = ARENA_INIT;
	int64_t index;

	memcpy(b, a, sizeof(b));
	assert_null(schedule_difference(&arena, a, 2, b, 2, &index));
	assert_int_equal(index, -1);
	b[1].op = OP_UNLOCK;
	assert_string_equal(schedule_difference(&arena, a, 2, b, 2, &index), "step 1: T1 join, recorded T1 unlock");
	assert_int_equal(index, 1);
	assert_string_equal(schedule_difference(&arena, a, 1, b, 2, &index), "step 1: the run ended, recorded T1 unlock");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_kernel),
		cmocka_unit_test(words_of_the_scheduler),
		cmocka_unit_test(text_of_the_program),
		cmocka_unit_test(harm_is_what_the_plain_run_lacks),
		cmocka_unit_test(schedule_comes_back),
		cmocka_unit_test(damaged_schedules_are_refused),
		cmocka_unit_test(the_first_difference_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
