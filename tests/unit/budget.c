/* budget: who gets the trials of the next round. */
#include "unit.h"

#include "confirm/budget.h"

static const struct store_tally unmet = { .finding = 1 };
static const struct store_tally one_way = { .finding = 2, .done = 20, .hits = 3, .order = { 3, 0 } };
static const struct store_tally harmless = { .finding = 3, .done = 20, .hits = 5, .order = { 3, 2 } };
static const struct store_tally harmful = { .finding = 4, .done = 20, .hits = 5, .order = { 3, 2 }, .harm = 1 };

static uint64_t share(uint64_t budget, uint64_t done, struct store_tally *t, size_t count)
{
	struct store_campaign c = { .trials = budget, .done = done };
	uint64_t total = 0;
	unsigned piece = 0;

	budget_share(&c, t, count, &piece);
	assert_in_range(piece, 1, 1000);
	for (size_t i = 0; i < count; i++)
		total += t[i].share;
	return total;
}

static void goals_follow_the_ladder(void **state)
{
	struct store_tally cycle = { .is_deadlock = true };

	assert_int_equal(budget_goal(&unmet), GOAL_MEET);
	assert_int_equal(budget_goal(&one_way), GOAL_ORDER);
	assert_int_equal(budget_goal(&harmless), GOAL_HARM);
	assert_int_equal(budget_goal(&harmful), GOAL_NONE);
	assert_int_equal(budget_goal(&cycle), GOAL_MEET);
	cycle.hits = 1;
	assert_int_equal(budget_goal(&cycle), GOAL_NONE);
}

static void everybody_who_wants_something_gets_as_much(void **state)
{
	struct store_tally t[] = { harmless, unmet, harmful, one_way };

	assert_int_equal(share(0, 60, t, 4), 60);
	assert_int_equal(t[0].share, 20);
	assert_int_equal(t[1].share, 20);
	assert_int_equal(t[2].share, 0); /* has shown all it can */
	assert_int_equal(t[3].share, 20);
}

static void a_short_budget_goes_to_the_unmet_then_to_the_other_order(void **state)
{
	struct store_tally t[] = { harmless, one_way, unmet };

	assert_int_equal(share(85, 60, t, 3), 25);
	assert_int_equal(t[2].share, 20);
	assert_int_equal(t[1].share, 5);
	assert_int_equal(t[0].share, 0);
}

static void what_did_not_pay_waits_for_the_others(void **state)
{
	struct store_tally t[] = { { .finding = 1, .done = 20 }, unmet };

	assert_int_equal(share(0, 20, t, 2), 20);
	assert_int_equal(t[0].share, 0);
	t[1].done = 20;
	assert_int_equal(share(0, 40, t, 2), 80); /* both at the next depth: twice as many */
	assert_int_equal(t[0].share, 40);
}

static void success_starts_the_next_goal_anew(void **state)
{
	struct store_tally t[] = { { .finding = 1, .done = 140, .hits = 1, .order = { 1, 0 } }, { .finding = 2, .done = 20 } };

	assert_int_equal(share(0, 160, t, 2), 20); /* it has spent nothing on the other order yet */
	assert_int_equal(t[0].share, 20);
	assert_int_equal(t[0].goal, GOAL_ORDER);
	assert_int_equal(t[0].base, 140);
	assert_int_equal(t[1].share, 0);
}

static void nothing_is_given_when_nothing_is_left(void **state)
{
	struct store_tally t[] = { unmet }, done[] = { harmful };
	struct store_campaign late = { .ms = 1000, .spent = 1000 };
	unsigned piece;

	assert_int_equal(share(100, 100, t, 1), 0);
	assert_int_equal(share(0, 20, done, 1), 0);
	budget_share(&late, t, 1, &piece);
	assert_int_equal(t[0].share, 0);
}

/* Whole campaigns: the budget is spent to the trial, and one that never meets does not eat it alone. */
static void a_campaign_spends_its_budget(void **state)
{
	struct store_tally t[] = { unmet, unmet, unmet };
	uint64_t done = 0, given;
	int rounds = 0;

	while ((given = share(5000, done, t, 3)) && rounds++ < 100)
		for (int i = 0; i < 3; i++) {
			done += t[i].share;
			t[i].done += t[i].share;
			if (i == 2 && t[i].done >= 300) /* the third is met at its 300th trial, and always after */
				t[i].hits = t[i].order[0] = 1;
		}
	assert_int_equal(done, 5000);
	assert_in_range(rounds, 5, 20);
	assert_in_range(t[0].done, t[1].done, 2 * t[1].done); /* the last round is cut from its end */
	assert_in_range(t[2].done, 1000, 2500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goals_follow_the_ladder), cmocka_unit_test(everybody_who_wants_something_gets_as_much),
		cmocka_unit_test(a_short_budget_goes_to_the_unmet_then_to_the_other_order),
		cmocka_unit_test(what_did_not_pay_waits_for_the_others), cmocka_unit_test(success_starts_the_next_goal_anew),
		cmocka_unit_test(nothing_is_given_when_nothing_is_left), cmocka_unit_test(a_campaign_spends_its_budget),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, unit_clean);
}
