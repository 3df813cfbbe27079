/* detect: the rule, pair by pair, in exact interleavings. Every pair has its silent twin. */
#include "detect_fake.h"

static _Alignas(16) char m[64][16]; /* a granule for each test */

static void unordered_writes_are_a_pair(void **state)
{
	writes(1, m[0], 4, 0x100);
	writes(2, m[0], 4, 0x101);
	assert_true(pairs_of(0x100, 0x101));
	assert_int_equal(fake_pairs[0].thread[0], 1);
	assert_int_equal(fake_pairs[0].thread[1], 2);
}

static void reads_are_none(void **state)
{
	reads(1, m[1], 8, 0x110);
	reads(2, m[1], 8, 0x111);
	reads(3, m[1], 8, 0x112);
	NO_PAIRS();
}

static void bytes_must_overlap(void **state)
{
	writes(1, m[2], 4, 0x120);
	writes(2, m[2] + 4, 4, 0x121);
	writes(3, m[2] + 8, 8, 0x122);
	NO_PAIRS();
	reads(2, m[2] + 3, 1, 0x123);
	assert_int_equal(fake_pair_count, 1);
	assert_true(pairs_of(0x120, 0x123));
}

static void one_thread_is_none(void **state)
{
	writes(1, m[3], 8, 0x130);
	reads(1, m[3], 8, 0x131);
	NO_PAIRS();
}

static void a_common_lock_protects(void **state)
{
	static int l, other;

	locks(1, &l, LOCK_WRITE);
	writes(1, m[4], 8, 0x140);
	unlocks(1, &l);
	locks(2, &l, LOCK_WRITE);
	writes(2, m[4], 8, 0x141);
	unlocks(2, &l);
	NO_PAIRS();
	locks(3, &other, LOCK_WRITE);
	writes(3, m[4], 8, 0x142);
	unlocks(3, &other);
	assert_true(pairs_of(0x140, 0x142));
	assert_true(pairs_of(0x141, 0x142));
	assert_false(pairs_of(0x140, 0x141));
	assert_int_equal(fake_pairs[0].locks[0], 1);
	assert_int_equal(fake_pairs[0].locks[1], 1);
}

static void locks_do_not_order(void **state)
{
	static int l;

	writes(1, m[5], 8, 0x150);
	locks(1, &l, LOCK_WRITE);
	unlocks(1, &l);
	locks(2, &l, LOCK_WRITE);
	unlocks(2, &l);
	writes(2, m[5], 8, 0x151);
	assert_true(pairs_of(0x150, 0x151));
}

static void locks_order_under_hb(void **state)
{
	static int l;

	detect_hb = true;
	writes(1, m[6], 8, 0x160);
	locks(1, &l, LOCK_WRITE);
	unlocks(1, &l);
	locks(2, &l, LOCK_WRITE);
	unlocks(2, &l);
	writes(2, m[6], 8, 0x161);
	detect_hb = false;
	NO_PAIRS();
}

static void read_locks_protect_readers_from_the_writer_only(void **state)
{
	static int l;

	locks(1, &l, LOCK_WRITE);
	writes(1, m[7], 8, 0x170);
	unlocks(1, &l);
	locks(2, &l, LOCK_READ);
	reads(2, m[7], 8, 0x171);
	unlocks(2, &l);
	NO_PAIRS();
	locks(3, &l, LOCK_READ);
	writes(3, m[7], 8, 0x172);
	unlocks(3, &l);
	assert_int_equal(fake_pair_count, 1);
	assert_true(pairs_of(0x171, 0x172));
}

static void recursive_locks_are_held_to_the_last(void **state)
{
	static int l;

	locks(1, &l, LOCK_WRITE);
	locks(1, &l, LOCK_WRITE);
	unlocks(1, &l);
	writes(1, m[8], 8, 0x180);
	unlocks(1, &l);
	locks(2, &l, LOCK_WRITE);
	writes(2, m[8], 8, 0x181);
	unlocks(2, &l);
	NO_PAIRS();
}

static void a_destroyed_lock_is_another(void **state)
{
	static int l;

	locks(1, &l, LOCK_WRITE);
	writes(1, m[9], 8, 0x190);
	unlocks(1, &l);
	rt_on_destroy(&l);
	locks(2, &l, LOCK_WRITE);
	writes(2, m[9], 8, 0x191);
	unlocks(2, &l);
	assert_true(pairs_of(0x190, 0x191));
}

static void sending_orders(void **state)
{
	static int s;

	writes(1, m[10], 8, 0x1a0);
	rt_on_send(&s);
	as(2);
	rt_on_receive(&s);
	writes(2, m[10], 8, 0x1a1);
	NO_PAIRS();
	/* What came after the send is not ordered; nor is who did not receive. */
	writes(1, m[11], 8, 0x1a2);
	writes(2, m[11], 8, 0x1a3);
	assert_true(pairs_of(0x1a2, 0x1a3));
	reads(3, m[10], 8, 0x1a4);
	assert_true(pairs_of(0x1a1, 0x1a4));
	rt_on_destroy(&s);
}

static void create_and_join_order(void **state)
{
	writes(0, m[12], 8, 0x1b0);
	create(0, 10);
	writes(10, m[12], 8, 0x1b1);
	join(0, 10);
	writes(0, m[12], 8, 0x1b2);
	create(0, 11);
	writes(11, m[12], 8, 0x1b3);
	NO_PAIRS();
	reads(0, m[12], 8, 0x1b4);
	assert_true(pairs_of(0x1b3, 0x1b4));
	join(0, 11);
}

static void slots_are_used_again_without_false_order(void **state)
{
	struct detect_thread *t;
	uint32_t slot;

	create(0, 12);
	slot = ((struct detect_thread *)fake_threads[12].engine)->slot;
	writes(12, m[13], 8, 0x1c0);
	join(0, 12);
	create(0, 13);
	t = fake_threads[13].engine;
	assert_int_equal(t->slot, slot);
	writes(13, m[13], 8, 0x1c1);
	NO_PAIRS();
	reads(1, m[13], 8, 0x1c2); /* knows neither */
	assert_true(pairs_of(0x1c1, 0x1c2));
	join(0, 13);
}

static void atomic_messages_order(void **state)
{
	static int flag;

	writes(1, m[14], 8, 0x1d0);
	rt_on_atomic(&flag, 4, ACCESS_WRITE | ACCESS_ATOMIC, __ATOMIC_RELEASE, 0x1d1);
	as(2);
	rt_on_atomic(&flag, 4, ACCESS_ATOMIC, __ATOMIC_ACQUIRE, 0x1d2);
	rt_on_atomic_done(&flag, ACCESS_ATOMIC, __ATOMIC_ACQUIRE);
	reads(2, m[14], 8, 0x1d3);
	NO_PAIRS();
}

static void relaxed_atomics_do_not(void **state)
{
	static int flag;

	writes(1, m[15], 8, 0x1e0);
	rt_on_atomic(&flag, 4, ACCESS_WRITE | ACCESS_ATOMIC, __ATOMIC_RELAXED, 0x1e1);
	as(2);
	rt_on_atomic(&flag, 4, ACCESS_ATOMIC, __ATOMIC_RELAXED, 0x1e2);
	rt_on_atomic_done(&flag, ACCESS_ATOMIC, __ATOMIC_RELAXED);
	reads(2, m[15], 8, 0x1e3);
	assert_int_equal(fake_pair_count, 1);
	assert_true(pairs_of(0x1e0, 0x1e3));
}

static void fences_lend_relaxed_ones_their_order(void **state)
{
	static int flag;

	writes(1, m[16], 8, 0x1f0);
	rt_on_fence(__ATOMIC_RELEASE);
	rt_on_atomic(&flag, 4, ACCESS_WRITE | ACCESS_ATOMIC, __ATOMIC_RELAXED, 0x1f1);
	as(2);
	rt_on_atomic(&flag, 4, ACCESS_ATOMIC, __ATOMIC_RELAXED, 0x1f2);
	rt_on_atomic_done(&flag, ACCESS_ATOMIC, __ATOMIC_RELAXED);
	rt_on_fence(__ATOMIC_ACQUIRE);
	reads(2, m[16], 8, 0x1f3);
	NO_PAIRS();
}

static void atomic_against_plain_is_a_pair(void **state)
{
	as(1);
	rt_on_atomic(m[17], 8, ACCESS_WRITE | ACCESS_ATOMIC, __ATOMIC_RELAXED, 0x200);
	as(2);
	rt_on_atomic(m[17], 8, ACCESS_WRITE | ACCESS_ATOMIC, __ATOMIC_RELAXED, 0x201);
	NO_PAIRS();
	reads(3, m[17], 8, 0x202);
	assert_true(pairs_of(0x200, 0x202));
	assert_true(pairs_of(0x201, 0x202));
}

static void free_is_a_write_in_either_order(void **state)
{
	reads(1, m[18], 8, 0x210);
	as(2);
	rt_on_free(m[18], 16, 0x211);
	assert_true(pairs_of(0x210, 0x211));
	rt_on_alloc(m[19], 16, 0x212);
	rt_on_free(m[19], 16, 0x213);
	reads(1, m[19], 8, 0x214);
	assert_true(pairs_of(0x213, 0x214));
}

static void reused_memory_is_new(void **state)
{
	as(1);
	rt_on_alloc(m[20], 16, 0x220);
	writes(1, m[20], 8, 0x221);
	rt_on_free(m[20], 16, 0x222);
	as(2);
	rt_on_alloc(m[20], 16, 0x223);
	writes(2, m[20], 8, 0x224);
	NO_PAIRS();
}

/* Eight sites, eight bytes, one granule: none may hide another's pair. */
static void neighbours_keep_their_sites(void **state)
{
	for (int i = 0; i < 8; i++)
		writes(1, m[21] + i, 1, 0x230 + (uintptr_t)i);
	for (int i = 0; i < 8; i++)
		writes(2, m[21] + i, 1, 0x240 + (uintptr_t)i);
	for (int i = 0; i < 8; i++)
		assert_true(pairs_of(0x230 + (uintptr_t)i, 0x240 + (uintptr_t)i));
	assert_int_equal(fake_counts[WIRE_LOST_CELLS], 0);
}

/* Two statements of one segment, kind and variable, before anybody else comes: both are named. */
static void the_second_site_of_a_segment_is_kept(void **state)
{
	locks(1, &m[40], LOCK_WRITE);
	writes(1, m[41], 4, 0x1001);
	writes(1, m[41], 4, 0x1002);
	writes(1, m[41], 2, 0x1003);
	writes(1, m[41], 4, 0x1001);
	unlocks(1, &m[40]);
	reads(2, m[41], 4, 0x1004);
	assert_int_equal(pairs_of(0x1001, 0x1004), 1);
	assert_int_equal(pairs_of(0x1002, 0x1004), 1);
	assert_int_equal(pairs_of(0x1003, 0x1004), 1);
}

static void but_only_for_its_own_bytes(void **state)
{
	locks(1, &m[42], LOCK_WRITE);
	writes(1, m[43], 4, 0x1011);
	writes(1, m[43], 2, 0x1012);
	unlocks(1, &m[42]);
	reads(2, m[43] + 2, 2, 0x1013);
	assert_int_equal(pairs_of(0x1011, 0x1013), 1);
	assert_int_equal(pairs_of(0x1012, 0x1013), 0);
	locks(2, &m[42], LOCK_WRITE);
	reads(2, m[43], 4, 0x1014);
	assert_int_equal(pairs_of(0x1011, 0x1014) + pairs_of(0x1012, 0x1014), 0);
	unlocks(2, &m[42]);
}

/* Neighbours in one granule, read by one thread, written by the other: two pairs. */
static void neighbours_are_two_pairs(void **state)
{
	reads(2, m[44] + 4, 4, 0x1021);
	reads(2, m[44], 4, 0x1022);
	writes(1, m[44] + 4, 4, 0x1023);
	writes(1, m[44], 4, 0x1024);
	assert_int_equal(pairs_of(0x1021, 0x1023), 1);
	assert_int_equal(pairs_of(0x1022, 0x1024), 1);
	assert_int_equal(pairs_of(0x1021, 0x1024) + pairs_of(0x1022, 0x1023), 0);
}

/* The first thread of all is no other: a list it meets stays one. */
static void neighbours_written_by_the_first_thread_are_two_pairs(void **state)
{
	reads(2, m[45] + 4, 4, 0x1031);
	reads(2, m[45], 4, 0x1032);
	writes(0, m[45] + 4, 4, 0x1033);
	writes(0, m[45], 4, 0x1034);
	reads(0, m[45] + 8, 4, 0x1035);
	writes(2, m[45] + 4, 4, 0x1036);
	writes(2, m[45] + 12, 4, 0x1037);
	assert_int_equal(pairs_of(0x1031, 0x1033), 1);
	assert_int_equal(pairs_of(0x1032, 0x1034), 1);
	assert_int_equal(pairs_of(0x1033, 0x1036), 1);
	assert_int_equal(pairs_of(0x1031, 0x1034) + pairs_of(0x1032, 0x1033), 0);
	assert_int_equal(pairs_of(0x1034, 0x1036) + pairs_of(0x1035, 0x1037), 0);
}

/* After the first conflict every site is kept. */
static void lists_find_every_pair(void **state)
{
	writes(1, m[22], 8, 0x250);
	writes(2, m[22], 8, 0x251);
	for (uintptr_t pc = 0x252; pc < 0x25a; pc++)
		reads(1, m[22], 8, pc);
	writes(2, m[22], 8, 0x25b);
	for (uintptr_t pc = 0x252; pc < 0x25a; pc++) {
		assert_true(pairs_of(pc, 0x251));
		assert_true(pairs_of(pc, 0x25b));
	}
}

static void a_known_pair_is_told_with_both_stacks_once_more(void **state)
{
	writes(1, m[23], 8, 0x260);
	writes(2, m[23], 8, 0x261);
	assert_int_equal(fake_pairs[0].stacks[0], 0);
	assert_int_equal(fake_pairs[0].stacks[1], 2);
	for (int i = 0; i < 5; i++) {
		writes(1, m[23], 8, 0x260);
		writes(2, m[23], 8, 0x261);
	}
	assert_int_equal(pairs_of(0x260, 0x261), 2);
	assert_int_equal(fake_pairs[fake_pair_count - 1].stacks[0], 2);
}

static void ignoring_is_honoured(void **state)
{
	as(1);
	rt_on_ignore(1);
	writes(1, m[24], 8, 0x270);
	rt_on_ignore(-1);
	writes(2, m[24], 8, 0x271);
	NO_PAIRS();
}

static void opposite_order_of_locks_is_a_cycle(void **state)
{
	static int a, b;

	locks(1, &a, LOCK_WRITE);
	locks(1, &b, LOCK_WRITE);
	unlocks(1, &b);
	unlocks(1, &a);
	locks(1, &b, LOCK_WRITE);
	locks(1, &a, LOCK_WRITE);
	unlocks(1, &a);
	unlocks(1, &b);
	assert_int_equal(fake_cycles, 0); /* one thread cannot deadlock with itself */
	locks(2, &b, LOCK_WRITE);
	locks(2, &a, LOCK_WRITE);
	unlocks(2, &a);
	unlocks(2, &b);
	assert_int_equal(fake_cycles, 1);
}

static void a_gate_prevents_the_deadlock(void **state)
{
	static int a, b, gate;

	locks(1, &gate, LOCK_WRITE);
	locks(1, &a, LOCK_WRITE);
	locks(1, &b, LOCK_WRITE);
	unlocks(1, &b);
	unlocks(1, &a);
	unlocks(1, &gate);
	locks(2, &gate, LOCK_WRITE);
	locks(2, &b, LOCK_WRITE);
	locks(2, &a, LOCK_WRITE);
	unlocks(2, &a);
	unlocks(2, &b);
	unlocks(2, &gate);
	assert_int_equal(fake_cycles, 0);
}

/* The fast entries agree with the cells: a hit returns, anything else asks detect_miss. */
static void the_blob_hits_what_was_recorded(void **state)
{
	void (*write8)(void *) = (void (*)(void *))(uintptr_t)blob_entry(0, 8, ACCESS_WRITE);
	void (*read1)(void *) = (void (*)(void *))(uintptr_t)blob_entry(0, 1, ACCESS_READ);
	void (*read16)(void *) = (void (*)(void *))(uintptr_t)blob_entry(0, 16, ACCESS_READ);
	void (*volatile_read8)(void *) = (void (*)(void *))(uintptr_t)blob_entry(0, 8, ACCESS_VOLATILE);

	writes(1, m[25], 8, 0x280);
	fake_miss_called = false;
	write8(m[25]);
	read1(m[25] + 7); /* we have written it */
	volatile_read8(m[25]);
	assert_false(fake_miss_called);
	read1(m[25] + 8);
	assert_true(fake_miss_called);
	fake_miss_called = false;
	as(2);
	write8(m[25]);
	assert_true(fake_miss_called);
	reads(2, m[26], 32, 0x281);
	fake_miss_called = false;
	read16(m[26]);
	read16(m[26] + 8); /* over two granules */
	assert_false(fake_miss_called);
	read16(m[27] + 1);
	assert_true(fake_miss_called);
	fake_miss_called = false;
	volatile_read8(m[25]);
	assert_true(fake_miss_called);
	assert_int_equal(fake_miss_what, 8 | ACCESS_VOLATILE << 8); /* the site's name has it, too */
	assert_null(blob_entry(0, 8, ACCESS_ATOMIC));
	assert_null(blob_entry(0, 3, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(unordered_writes_are_a_pair, fake_start),
		cmocka_unit_test_setup(reads_are_none, fake_start),
		cmocka_unit_test_setup(bytes_must_overlap, fake_start),
		cmocka_unit_test_setup(one_thread_is_none, fake_start),
		cmocka_unit_test_setup(a_common_lock_protects, fake_start),
		cmocka_unit_test_setup(locks_do_not_order, fake_start),
		cmocka_unit_test_setup(locks_order_under_hb, fake_start),
		cmocka_unit_test_setup(read_locks_protect_readers_from_the_writer_only, fake_start),
		cmocka_unit_test_setup(recursive_locks_are_held_to_the_last, fake_start),
		cmocka_unit_test_setup(a_destroyed_lock_is_another, fake_start),
		cmocka_unit_test_setup(relaxed_atomics_do_not, fake_start),
		cmocka_unit_test_setup(atomic_against_plain_is_a_pair, fake_start),
		cmocka_unit_test_setup(free_is_a_write_in_either_order, fake_start),
		cmocka_unit_test_setup(reused_memory_is_new, fake_start),
		cmocka_unit_test_setup(neighbours_keep_their_sites, fake_start),
		cmocka_unit_test_setup(the_second_site_of_a_segment_is_kept, fake_start),
		cmocka_unit_test_setup(but_only_for_its_own_bytes, fake_start),
		cmocka_unit_test_setup(neighbours_are_two_pairs, fake_start),
		cmocka_unit_test_setup(neighbours_written_by_the_first_thread_are_two_pairs, fake_start),
		cmocka_unit_test_setup(lists_find_every_pair, fake_start),
		cmocka_unit_test_setup(a_known_pair_is_told_with_both_stacks_once_more, fake_start),
		cmocka_unit_test_setup(ignoring_is_honoured, fake_start),
		cmocka_unit_test_setup(opposite_order_of_locks_is_a_cycle, fake_start),
		cmocka_unit_test_setup(a_gate_prevents_the_deadlock, fake_start),
		cmocka_unit_test_setup(the_blob_hits_what_was_recorded, fake_start),
		cmocka_unit_test_setup(create_and_join_order, fake_start),
		cmocka_unit_test_setup(slots_are_used_again_without_false_order, fake_start),
		/* These leave order between 1 and 2 behind: last. */
		cmocka_unit_test_setup(atomic_messages_order, fake_start),
		cmocka_unit_test_setup(fences_lend_relaxed_ones_their_order, fake_start),
		cmocka_unit_test_setup(sending_orders, fake_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
