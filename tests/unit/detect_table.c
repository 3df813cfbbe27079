/* detect without room for a direct shadow (ulimit -v): the same rule by chunks, and sampling. */
#include "detect_fake.h"

static _Alignas(16) char m[64][16];

static int start_narrow(void **state)
{
	fake_no_space = true;
	return fake_start(state);
}

static void the_shadow_is_a_table(void **state)
{
	assert_null(shadow.direct);
	assert_non_null(shadow.table);
	assert_null(blob_entry(0, 8, 0)); /* no fast entries then */
}

static void pairs_are_found_by_table(void **state)
{
	writes(1, m[0] + 12, 8, 0x400); /* over two granules */
	reads(2, m[1], 1, 0x401);
	assert_true(pairs_of(0x400, 0x401));
	reads(2, m[1] + 4, 1, 0x402);
	assert_int_equal(fake_pair_count, 1);
}

static void clearing_works_by_table(void **state)
{
	writes(1, m[2], 8, 0x410);
	rt_on_fresh(m[2], 16);
	writes(2, m[2], 8, 0x411);
	NO_PAIRS();
}

static void literace_skips_the_hot_and_counts(void **state)
{
	sample_kind = WIRE_SAMPLE_LITERACE;
	for (int i = 0; i < 10000; i++)
		writes(1, m[3], 8, 0x420);
	writes(2, m[3], 8, 0x421); /* cold: seen at once */
	sample_kind = WIRE_SAMPLE_ALL;
	assert_true(pairs_of(0x420, 0x421));
	thread_count_losses(fake_threads[1].engine);
	assert_true(fake_counts[WIRE_SKIPPED_SAMPLED] > 9000);
}

static void pacer_checks_in_its_pauses(void **state)
{
	sample_kind = WIRE_SAMPLE_PACER;
	writes(1, m[4], 8, 0x430); /* sampled */
	pacer.paused = true;
	writes(2, m[4], 8, 0x431);
	writes(1, m[5], 8, 0x432); /* not sampled */
	writes(2, m[5], 8, 0x433);
	pacer.paused = false;
	sample_kind = WIRE_SAMPLE_ALL;
	assert_true(pairs_of(0x430, 0x431));
	assert_int_equal(fake_pair_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_shadow_is_a_table, start_narrow),
		cmocka_unit_test_setup(pairs_are_found_by_table, start_narrow),
		cmocka_unit_test_setup(clearing_works_by_table, start_narrow),
		cmocka_unit_test_setup(literace_skips_the_hot_and_counts, start_narrow),
		cmocka_unit_test_setup(pacer_checks_in_its_pauses, start_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
