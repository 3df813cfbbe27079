/* detect: rows of accesses over two granules (twin.h) say of every byte what single ones would. */
#include "detect_fake.h"
#include "rt/detect/twin.h"

#define ROW 48
static _Alignas(16) char m[16][ROW + 2][16]; /* rows for each test */
static unsigned repeated;

/* An access of a patched site that missed, as access.c has it. */
static void hot(unsigned thread, char *address, size_t size, unsigned flags, uintptr_t pc)
{
	uint32_t bytes = ((1u << size) - 1) << (uintptr_t)address % GRANULE;
	struct detect_thread *t;

	as(thread);
	t = detect_self();
	if (t->key && twin_repeats(t, (uintptr_t)address, pc))
		repeated++;
	else if (!t->key || !quick_two(t, (uintptr_t)address, bytes, flags, site_of(pc, flags, size), pc))
		rt_on_access(address, size, flags, pc);
}

/* 16 bytes at the middle of every granule of the row: its first half and the last's second stay untouched. */
static void row(unsigned thread, unsigned n, unsigned flags, uintptr_t pc)
{
	repeated = 0;
	for (unsigned i = 0; i < ROW; i++)
		hot(thread, m[n][i] + 8, 16, flags, pc);
}

static void a_row_is_repeated_and_every_byte_found(void **state)
{
	row(1, 0, ACCESS_WRITE, 0x500);
	assert_true(repeated > ROW / 2);
	reads(2, m[0][0], 8, 0x501);
	reads(2, m[0][ROW] + 8, 8, 0x501);
	NO_PAIRS();
	for (unsigned i = 0; i < ROW; i++) {
		reads(2, m[0][i] + 8, 8, 0x510 + i);
		reads(2, m[0][i + 1], 8, 0x550 + i);
		assert_int_equal(pairs_of(0x500, 0x510 + i), 1);
		assert_int_equal(pairs_of(0x500, 0x550 + i), 1);
	}
	assert_int_equal(fake_pair_count, 2 * ROW);
}

static void a_row_of_reads_accuses_writers_only(void **state)
{
	row(1, 1, ACCESS_READ, 0x600);
	assert_true(repeated > ROW / 2);
	for (unsigned i = 0; i < ROW; i++)
		reads(2, m[1][i], 16, 0x601);
	NO_PAIRS();
	writes(2, m[1][20] + 8, 1, 0x602);
	assert_int_equal(fake_pair_count, 1);
	assert_int_equal(pairs_of(0x600, 0x602), 1);
}

static void another_thread_in_the_row_is_met(void **state)
{
	writes(2, m[2][20] + 12, 1, 0x611);
	writes(2, m[2][25] + 12, 1, 0x612);
	shadow_clear((uintptr_t)m[2][25], 16);
	row(1, 2, ACCESS_WRITE, 0x610);
	assert_true(repeated > ROW / 2);
	assert_int_equal(fake_pair_count, 1);
	assert_int_equal(pairs_of(0x610, 0x611), 1);
}

/* Cells of others are put by compare-and-swap: nothing to be repeated by plain stores. */
static void a_row_with_another_thread_is_not_repeated(void **state)
{
	for (unsigned i = 0; i <= ROW; i++)
		reads(2, m[11][i], 16, 0x615);
	row(1, 11, ACCESS_READ, 0x616);
	assert_int_equal(repeated, 0);
	NO_PAIRS();
	writes(3, m[11][20] + 8, 8, 0x617);
	assert_int_equal(pairs_of(0x615, 0x617), 1);
	assert_int_equal(pairs_of(0x616, 0x617), 1);
}

/* Every third only: each finds two untouched granules, so what is seen is the same in any segment. */
static void apart(unsigned thread, unsigned n, unsigned flags, uintptr_t pc)
{
	repeated = 0;
	for (unsigned i = 0; i < ROW; i += 3)
		hot(thread, m[n][i] + 8, 16, flags, pc);
}

static void a_lock_is_another_row(void **state)
{
	static int l;

	apart(1, 3, ACCESS_WRITE, 0x620);
	assert_true(repeated > ROW / 9);
	locks(1, &l, LOCK_WRITE);
	apart(1, 4, ACCESS_WRITE, 0x620);
	assert_true(repeated > ROW / 9);
	unlocks(1, &l);
	locks(2, &l, LOCK_WRITE);
	for (unsigned i = 1; i < ROW; i++)
		writes(2, m[4][i], 16, 0x621);
	NO_PAIRS();
	writes(2, m[3][30], 16, 0x622);
	assert_int_equal(pairs_of(0x620, 0x622), 1);
	unlocks(2, &l);
}

/* A later epoch speaks for the earlier one where it has been to all its bytes, and only there. */
static void what_is_spoken_for_is_dropped(void **state)
{
	static int s;

	for (unsigned i = 0; i <= ROW; i++)
		writes(1, m[5][i], 16, 0x630);
	as(1);
	rt_on_send(&s);
	row(1, 5, ACCESS_WRITE, 0x631);
	for (unsigned i = 1; i < ROW; i++)
		for (unsigned at = 1; at < CELLS; at++)
			assert_int_equal(cell_load(cell_at(shadow_cells((uintptr_t)m[5][i]), at)), 0);
	assert_int_equal(fake_counts[WIRE_LOST_CELLS], 0);
	writes(2, m[5][0], 8, 0x632);
	assert_int_equal(pairs_of(0x630, 0x632), 1);
	writes(2, m[5][ROW] + 8, 8, 0x633);
	assert_int_equal(pairs_of(0x630, 0x633), 1);
	assert_int_equal(fake_pair_count, 2);
	writes(2, m[5][9], 16, 0x634);
	assert_int_equal(pairs_of(0x631, 0x634), 1);
}

static void what_is_not_is_kept(void **state)
{
	static int s;

	for (unsigned i = 0; i <= ROW; i++)
		writes(1, m[12][i], 16, 0x635);
	as(1);
	rt_on_send(&s);
	repeated = 0;
	for (unsigned i = 0; i < ROW; i++)
		hot(1, m[12][i] + 12, 8, ACCESS_WRITE, 0x636);
	assert_true(repeated > ROW / 2);
	writes(2, m[12][30] + 6, 2, 0x637);
	assert_int_equal(fake_pair_count, 1);
	assert_int_equal(pairs_of(0x635, 0x637), 1);
	writes(2, m[12][31] + 14, 2, 0x638);
	assert_int_equal(pairs_of(0x636, 0x638), 1);
}

static void a_row_is_of_its_epoch(void **state)
{
	static int first, second;

	row(1, 6, ACCESS_WRITE, 0x640);
	row(1, 7, ACCESS_WRITE, 0x640);
	rt_on_send(&first);
	row(1, 6, ACCESS_WRITE, 0x640);
	assert_true(repeated > ROW / 2);
	rt_on_send(&second);
	as(2);
	rt_on_receive(&first);
	for (unsigned i = 1; i < ROW; i++)
		writes(2, m[7][i], 16, 0x641);
	NO_PAIRS();
	writes(2, m[6][20], 16, 0x642);
	assert_int_equal(pairs_of(0x640, 0x642), 1);
	fake_pair_count = 0;
	as(3);
	rt_on_receive(&second);
	for (unsigned i = 1; i < 20; i++)
		writes(3, m[6][i], 16, 0x643);
	NO_PAIRS();
}

/* Numbers given away again: the old row must not be repeated with them. */
static void a_collection_ends_the_row(void **state)
{
	static int s;
	uint32_t collections = segment_collections;

	apart(1, 8, ACCESS_WRITE, 0x650);
	assert_true(repeated > ROW / 9);
	segment_table.size = segment_table.limit = 1024;
	for (int i = 0; i < 3000; i++) {
		writes(3, m[9][0], 8, 0x651);
		as(3);
		rt_on_send(&s);
	}
	assert_true(segment_collections > collections);
	as(1);
	assert_false(twin_repeats(detect_self(), (uintptr_t)m[10][0] + 8, 0x650));
	row(1, 10, ACCESS_WRITE, 0x650);
	assert_true(repeated > ROW / 2);
	writes(2, m[8][30], 16, 0x652);
	assert_int_equal(pairs_of(0x650, 0x652), 1);
	writes(2, m[10][20], 16, 0x653);
	assert_int_equal(pairs_of(0x650, 0x653), 1);
	assert_int_equal(fake_pair_count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_row_is_repeated_and_every_byte_found, fake_start),
		cmocka_unit_test_setup(a_row_of_reads_accuses_writers_only, fake_start),
		cmocka_unit_test_setup(another_thread_in_the_row_is_met, fake_start),
		cmocka_unit_test_setup(a_row_with_another_thread_is_not_repeated, fake_start),
		cmocka_unit_test_setup(a_lock_is_another_row, fake_start),
		cmocka_unit_test_setup(what_is_spoken_for_is_dropped, fake_start),
		cmocka_unit_test_setup(what_is_not_is_kept, fake_start),
		cmocka_unit_test_setup(a_collection_ends_the_row, fake_start),
		/* Leaves order between 1 and the others behind: last. */
		cmocka_unit_test_setup(a_row_is_of_its_epoch, fake_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
