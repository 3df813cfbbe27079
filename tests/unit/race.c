/* race: the words - conflicts, locks, rungs, and above all one id per pair of statements. */
#include "unit.h"

#include "race/candidate.h"
#include "race/fingerprint.h"

static struct candidate pair(void)
{
	struct candidate c = { .rung = RUNG_SUSPECTED };

	c.access[0] = (struct access){ .flags = ACCESS_WRITE, .size = 4, .function = "inc", .file = "src/counter.c",
				       .line = 12, .column = 9, .ordinal = 2 };
	c.access[1] = (struct access){ .flags = ACCESS_READ, .size = 4, .function = "flush", .file = "src/counter.c",
				       .line = 30, .column = 3, .ordinal = 5 };
	return c;
}

static const char *id_of(struct candidate c)
{
	static char ids[4][CANDIDATE_ID_SIZE];
	static unsigned next;
	char *id = ids[next++ % 4];

	candidate_identify(&c);
	strcpy(id, c.id);
	return id;
}

static void id_is_sixteen_hex_digits(void **state)
{
	const char *id = id_of(pair());

	assert_int_equal(strlen(id), 16);
	assert_int_equal(strspn(id, "0123456789abcdef"), 16);
	assert_string_equal(id, id_of(pair()));
}

static void id_survives_moved_lines(void **state)
{
	struct candidate moved = pair();

	moved.access[0].line += 100; /* text was added above both functions */
	moved.access[1].line += 100;
	assert_string_equal(id_of(pair()), id_of(moved));
	moved.access[1].line -= 200; /* and the second function moved before the first */
	assert_string_equal(id_of(pair()), id_of(moved));
}

static void id_survives_another_compiler(void **state)
{
	struct candidate other = pair();
	struct place place = { "abcd", "/home/b/prog", 0x4711 };

	other.access[0].column = 2;
	other.access[0].size = 8;
	other.access[0].file = "/home/b/src/counter.c";
	other.access[0].places = &place;
	other.access[0].place_count = 1;
	assert_string_equal(id_of(pair()), id_of(other));
}

static void id_leaves_template_arguments_out(void **state)
{
	struct candidate gcc = pair(), clang = pair(), other = pair();

	gcc.access[0].function = "Queue<long int, A<B> >::get<long int>";
	clang.access[0].function = "Queue<long, A<B>>::get<long>";
	other.access[0].function = "Queue::put";
	assert_string_equal(id_of(gcc), id_of(clang));
	assert_string_not_equal(id_of(gcc), id_of(other));
	gcc.access[0].function = "N::operator<";
	clang.access[0].function = "N::operator<<";
	assert_string_not_equal(id_of(gcc), id_of(clang));
	gcc.access[0].function = "main::<lambda>::operator()";
	clang.access[0].function = "main::operator()";
	assert_string_not_equal(id_of(gcc), id_of(clang));
}

static void id_survives_swapped_sides(void **state)
{
	struct candidate c = pair(), swapped = pair();

	swapped.access[0] = c.access[1];
	swapped.access[1] = c.access[0];
	assert_string_equal(id_of(c), id_of(swapped));
	candidate_identify(&c);
	candidate_identify(&swapped);
	assert_string_equal(c.access[0].function, "inc");
	assert_string_equal(swapped.access[0].function, "inc");
}

static void id_tells_statements_apart(void **state)
{
	struct candidate c = pair();

	c.access[0].ordinal++;
	assert_string_not_equal(id_of(pair()), id_of(c));
	c = pair();
	c.access[0].function = "dec";
	assert_string_not_equal(id_of(pair()), id_of(c));
	c = pair();
	c.access[1].flags = ACCESS_WRITE;
	assert_string_not_equal(id_of(pair()), id_of(c));
	c = pair();
	c.access[1].file = "other.c";
	assert_string_not_equal(id_of(pair()), id_of(c));
}

static void id_of_stripped_sides_is_module_and_offset(void **state)
{
	struct place a = { "aa", "/usr/bin/prog", 0x1000 }, b = { "bb", "/opt/prog", 0x1000 };
	struct candidate c = pair(), d = pair();

	c.access[0] = (struct access){ .flags = ACCESS_WRITE, .function = "??", .file = "", .places = &a, .place_count = 1 };
	d.access[0] = c.access[0];
	d.access[0].places = &b;
	assert_string_equal(id_of(c), id_of(d)); /* base name and offset, wherever it is installed */
	b.offset++;
	assert_string_not_equal(id_of(c), id_of(d));
}

static void deadlock_id_survives_rotation(void **state)
{
	struct frame f[2] = { { .function = "one", .file = "a.c", .line = 3 }, { .function = "two", .file = "a.c", .line = 9 } };
	struct deadlock_edge ab[2] = { { "a", "b", .stack = &f[0], .stack_count = 1 }, { "b", "a", .stack = &f[1], .stack_count = 1 } };
	struct deadlock_edge ba[2] = { ab[1], ab[0] };
	struct deadlock x = { .edge_count = 2 }, y = { .edge_count = 2 };

	deadlock_identify(&x, ab);
	deadlock_identify(&y, ba);
	assert_string_equal(x.id, y.id);
	assert_string_equal(x.edges[0].holds, y.edges[0].holds);
}

static void failure_id_is_outcome_and_message(void **state)
{
	struct failure a = { .outcome = "SIGABRT", .message = "x > 0" }, b = a, c = a;

	c.message = NULL;
	failure_identify(&a);
	failure_identify(&b);
	failure_identify(&c);
	assert_string_equal(a.id, b.id);
	assert_string_not_equal(a.id, c.id);
}

static void conflicts_need_a_write_and_overlap(void **state)
{
	assert_true(access_conflict(100, 4, ACCESS_WRITE, 102, 4, ACCESS_READ));
	assert_false(access_conflict(100, 4, ACCESS_READ, 100, 4, ACCESS_READ));
	assert_false(access_conflict(100, 4, ACCESS_WRITE, 104, 4, ACCESS_WRITE));
	assert_false(access_conflict(100, 4, ACCESS_WRITE | ACCESS_ATOMIC, 100, 4, ACCESS_ATOMIC));
	assert_true(access_conflict(100, 4, ACCESS_WRITE | ACCESS_ATOMIC, 100, 4, ACCESS_READ));
}

static void two_readers_do_not_exclude(void **state)
{
	assert_false(lock_modes_exclude(LOCK_READ, LOCK_READ));
	assert_true(lock_modes_exclude(LOCK_READ, LOCK_WRITE));
	assert_true(lock_modes_exclude(LOCK_WRITE, LOCK_WRITE));
}

static void rungs_have_names_and_climb(void **state)
{
	for (int i = 0; i < RUNG_COUNT; i++)
		assert_int_equal(rung_parse(rung_name((enum rung)i)), i);
	assert_int_equal(rung_parse("benign"), -1);
	assert_int_equal(rung_max(RUNG_CAUGHT, RUNG_CLAIMED), RUNG_CAUGHT);
	assert_string_equal(finder_name(FINDER_TRAP), "trap");
	assert_null(finder_name((enum finder)(1u << 20)));
	assert_string_equal(verdict_name(VERDICT_RACE_FREE), "race-free");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_is_sixteen_hex_digits), cmocka_unit_test(id_survives_moved_lines),
		cmocka_unit_test(id_survives_another_compiler), cmocka_unit_test(id_survives_swapped_sides),
		cmocka_unit_test(id_leaves_template_arguments_out),
		cmocka_unit_test(id_tells_statements_apart), cmocka_unit_test(id_of_stripped_sides_is_module_and_offset),
		cmocka_unit_test(deadlock_id_survives_rotation), cmocka_unit_test(failure_id_is_outcome_and_message),
		cmocka_unit_test(conflicts_need_a_write_and_overlap), cmocka_unit_test(two_readers_do_not_exclude),
		cmocka_unit_test(rungs_have_names_and_climb),
	};

	return cmocka_run_group_tests_name("race", tests, NULL, NULL);
}
