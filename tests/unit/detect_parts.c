/* detect: the tables behind the rule: clocks, locksets, site sets, segments and their collector. */
#include "detect_fake.h"

static _Alignas(16) char m[4096][16];

static void clocks_join_and_grow(void **state)
{
	struct clock a = { 0 }, b = { 0 };

	clock_set(&a, 3, 7);
	clock_set(&b, 1000, 5);
	clock_set(&b, 3, 2);
	assert_true(clock_join(&a, &b));
	assert_int_equal(clock_get(&a, 3), 7);
	assert_int_equal(clock_get(&a, 1000), 5);
	assert_int_equal(clock_get(&a, 1001), 0);
	assert_int_equal(clock_get(&a, 100000), 0);
	assert_false(clock_join(&a, &b));
	clock_free(&a);
	clock_set(&a, 900, 1); /* a recycled array is clean */
	assert_int_equal(clock_get(&a, 3), 0);
	assert_int_equal(clock_get(&a, 1000), 0);
	clock_free(&a);
	clock_free(&b);
}

static void equal_locksets_are_one(void **state)
{
	uint32_t a = lockset_add(lockset_add(0, 10 << 1 | 1), 5 << 1 | 1);
	uint32_t b = lockset_add(lockset_add(0, 5 << 1 | 1), 10 << 1 | 1), count;

	assert_int_equal(a, b);
	assert_int_equal(lockset_add(a, 5 << 1 | 1), a);
	assert_int_equal(lockset_remove(lockset_remove(a, 5 << 1 | 1), 10 << 1 | 1), LOCKSET_EMPTY);
	assert_int_equal(lockset_elements(a, &count)[0], 5 << 1 | 1);
	assert_int_equal(count, 2);
}

static void locksets_exclude_by_mode(void **state)
{
	uint32_t w = lockset_add(0, 20 << 1 | LOCK_WRITE), r = lockset_add(0, 20 << 1 | LOCK_READ);
	uint32_t other = lockset_add(lockset_add(0, 21 << 1 | LOCK_WRITE), 22 << 1 | LOCK_WRITE);

	for (int twice = 0; twice < 2; twice++) { /* computed, then remembered */
		assert_false(locksets_disjoint(w, w));
		assert_false(locksets_disjoint(w, r));
		assert_true(locksets_disjoint(r, r));
		assert_true(locksets_disjoint(w, other));
		assert_true(locksets_disjoint(w, LOCKSET_EMPTY));
	}
}

static void many_locks_are_held_at_once(void **state)
{
	static char lock[300];
	uint32_t count;

	for (int i = 0; i < 256; i++)
		locks(1, &lock[i], LOCK_WRITE);
	lockset_elements(((struct detect_thread *)fake_threads[1].engine)->lockset, &count);
	assert_int_equal(count, 256);
	for (int i = 0; i < 256; i++)
		unlocks(1, &lock[i]);
	assert_int_equal(((struct detect_thread *)fake_threads[1].engine)->lockset, LOCKSET_EMPTY);
	assert_int_equal(fake_counts[WIRE_LOST_LOCKS], 0);
}

static void the_order_of_sites_does_not_matter(void **state)
{
	uint64_t a = cell_make(7, key_bytes(1)), b = cell_make(9, key_bytes(4));
	struct member members[SITESET_MAX];
	uint32_t ab, ba;

	ab = siteset_add(a, 9, 4);
	ba = siteset_add(b, 7, 1);
	assert_true(ab & PLACE_SET);
	assert_int_equal(ab, ba);
	/* The same site again: its bytes grow, there is no third member. */
	ab = siteset_add(cell_make(ab, key_bytes(5)), 7, 2);
	assert_int_equal(siteset_members(cell_make(ab, key_bytes(7)), members), 2);
	assert_int_equal(members[0].site, 9);
	assert_int_equal(members[1].site, 7);
	assert_int_equal(members[1].bytes, 3);
}

static void a_full_table_of_sets_says_so(void **state)
{
	uint32_t place = 1;

	for (uint32_t i = 0; place && i < 4 * SETS; i++)
		place = siteset_add(cell_make(100 + i, key_bytes(1)), 50, 2);
	assert_int_equal(place, 0);
	/* Bytes are kept without their site, and counted. */
	writes(1, m[0], 1, 0x300);
	writes(1, m[0] + 1, 1, 0x301);
	for (int i = 2; i < 8; i++)
		writes(1, m[0] + i, 1, 0x300 + (uintptr_t)i);
	thread_count_losses(fake_threads[1].engine);
	assert_true(fake_counts[WIRE_LOST_CELLS] > 0);
}

/* A miss of a patched site, as access.c would have it. */
static void hot(unsigned thread, const char *address, unsigned flags, uintptr_t pc)
{
	as(thread);
	assert_true(record_quick(detect_self(), shadow_cells((uintptr_t)address), 1u << (uintptr_t)address % GRANULE, flags,
				 site_of(pc, flags, 1), true, false, false));
}

static void without_sets_nobody_is_accused(void **state)
{
	bool was = siteset_full;
	uint64_t *cells;

	siteset_full = true;
	writes(1, m[7], 1, 0x400);
	cells = shadow_cells((uintptr_t)m[7]);
	hot(1, m[7] + 1, ACCESS_WRITE, 0x401);
	hot(1, m[7] + 2, ACCESS_WRITE, 0x402);
	assert_int_equal(cell_bytes(cells[0]), 7); /* one cell has it all */
	assert_int_equal(cell_load(cell_at(cells, 1)), 0);
	writes(2, m[7] + 3, 1, 0x403); /* nobody's byte */
	NO_PAIRS();
	writes(2, m[7] + 2, 1, 0x404); /* whose byte it was is not known ... */
	NO_PAIRS();
	writes(1, m[7] + 2, 1, 0x402); /* ... until it comes by again */
	assert_int_equal(pairs_of(0x402, 0x404), 1);
	writes(2, m[7], 1, 0x405);
	assert_int_equal(pairs_of(0x400, 0x405), 1);
	assert_int_equal(pairs_of(0x400, 0x404) + pairs_of(0x401, 0x404) + pairs_of(0x402, 0x405), 0);
	siteset_full = was;
}

static void a_cold_site_keeps_its_name_without_sets(void **state)
{
	bool was = siteset_full;

	siteset_full = true;
	writes(1, m[8], 1, 0x410);
	writes(1, m[8] + 1, 1, 0x411);
	writes(2, m[8] + 2, 1, 0x412);
	NO_PAIRS();
	writes(2, m[8] + 1, 1, 0x413);
	assert_int_equal(pairs_of(0x411, 0x413), 1);
	assert_int_equal(pairs_of(0x410, 0x413), 0);
	siteset_full = was;
}

static void a_lock_taken_again_gets_its_segment_back(void **state)
{
	static int l;
	uint64_t key;

	locks(1, &l, LOCK_WRITE);
	writes(1, m[1], 8, 0x310);
	key = detect_key;
	unlocks(1, &l);
	writes(1, m[1], 8, 0x311);
	assert_int_not_equal(detect_key, key);
	locks(1, &l, LOCK_WRITE);
	assert_int_equal(detect_key, key);
	unlocks(1, &l);
}

static void only_used_epochs_end(void **state)
{
	static int s;
	struct detect_thread *t = fake_threads[1].engine;
	uint32_t epoch;

	writes(1, m[2], 8, 0x320);
	rt_on_send(&s);
	epoch = t->epoch;
	rt_on_send(&s);
	rt_on_send(&s);
	assert_int_equal(t->epoch, epoch);
	writes(1, m[2], 8, 0x320);
	rt_on_send(&s);
	assert_int_equal(t->epoch, epoch + 1);
}

/* More segments than numbers: the collector frees those no cell names, and no other. */
static void segments_are_collected(void **state)
{
	static int s;

	writes(3, m[3], 8, 0x330); /* must survive */
	segment_table.size = segment_table.limit = 1024;
	for (int i = 0; i < 5000; i++) {
		writes(1, m[4], 8, 0x331);
		as(1);
		rt_on_send(&s);
	}
	assert_int_equal(fake_counts[WIRE_LOST_SEGMENTS], 0);
	writes(2, m[3], 8, 0x332);
	assert_true(pairs_of(0x330, 0x332));
}

/* All numbers named by cells: the older half is forgotten, and that is counted. */
static void running_out_is_counted(void **state)
{
	static int s;

	for (int i = 0; i < 3000; i++) {
		writes(1, m[100 + i], 8, 0x340);
		as(1);
		rt_on_send(&s);
	}
	assert_true(fake_counts[WIRE_LOST_SEGMENTS] > 0);
	writes(2, m[100 + 2999], 8, 0x341);
	assert_true(pairs_of(0x340, 0x341));
}

static void forgotten_ranges_are_forgotten_to_the_byte(void **state)
{
	writes(1, m[5], 16, 0x350);
	shadow_clear((uintptr_t)m[5] + 4, 4);
	writes(2, m[5] + 4, 4, 0x351);
	NO_PAIRS();
	writes(2, m[5] + 8, 4, 0x352);
	assert_true(pairs_of(0x350, 0x352));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(clocks_join_and_grow, fake_start),
		cmocka_unit_test_setup(equal_locksets_are_one, fake_start),
		cmocka_unit_test_setup(locksets_exclude_by_mode, fake_start),
		cmocka_unit_test_setup(many_locks_are_held_at_once, fake_start),
		cmocka_unit_test_setup(the_order_of_sites_does_not_matter, fake_start),
		cmocka_unit_test_setup(a_lock_taken_again_gets_its_segment_back, fake_start),
		cmocka_unit_test_setup(only_used_epochs_end, fake_start),
		cmocka_unit_test_setup(forgotten_ranges_are_forgotten_to_the_byte, fake_start),
		cmocka_unit_test_setup(segments_are_collected, fake_start),
		cmocka_unit_test_setup(running_out_is_counted, fake_start),
		cmocka_unit_test_setup(without_sets_nobody_is_accused, fake_start),
		cmocka_unit_test_setup(a_cold_site_keeps_its_name_without_sets, fake_start),
		cmocka_unit_test_setup(a_full_table_of_sets_says_so, fake_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
