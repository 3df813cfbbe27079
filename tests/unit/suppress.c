/* suppress - TSan's patterns and the dates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/suppress.h"

static void patterns_are_those_of_tsan(void **state)
{
	static const struct { const char *pattern, *text; bool matches; } rows[] = {
		{ "foo", "foo", true }, { "foo", "a foo b", true }, { "foo", "fo", false }, { "foo", "", false }, { "foo", NULL, false },
		{ "^foo", "foobar", true }, { "^foo", "afoo", false }, { "foo$", "barfoo", true }, { "foo$", "foob", false },
		{ "^foo$", "foo", true }, { "^foo$", "foofoo", false }, { "foo$", "foofoo", true }, { "f*o", "f--o--", true },
		{ "f*o$", "f--o--", false }, { "f*o$", "f--o--o", true }, { "^f*o$", "f--o--o", true }, { "^f*b*o", "foboo", true },
		{ "^f*b*o", "afboo", false }, { "*", "x", true }, { "*$", "x", true }, { "^*", "x", true }, { "", "x", true },
		{ "a*a", "a", false }, { "ns::*::get", "ns::map<int>::get(int)", true }, { "^", "x", true }, { "^$", "x", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (pattern_matches(rows[i].pattern, rows[i].text) != rows[i].matches)
			fail_msg("'%s' on '%s'", rows[i].pattern, rows[i].text ? rows[i].text : "NULL");
}

static void dates_are_days_of_the_calendar(void **state)
{
	static const char *const good[] = { "2027-01-31", "2024-02-29", "1999-12-31" };
	static const char *const bad[] = { "", "2027-1-31", "2027-02-29", "2027-13-01", "2027-00-10", "31.01.2027", "2027-01-31x", "soon" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(is_date(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(is_date(bad[i]));
	assert_true(date_is_over("1999-12-31"));
	assert_false(date_is_over("2999-12-31"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_are_those_of_tsan), cmocka_unit_test(dates_are_days_of_the_calendar),
	};

	return cmocka_run_group_tests_name("suppress", tests, NULL, NULL);
}
