/* scan_facts - the lattice, lockUpdate and rebind of the paper (section 3.2), and what follows the same rules. */
#include "unit.h"

#include "find/scan/internal.h"

static struct linked program;
static struct analyse_options options;
static struct scan s;

static int begin(void **state)
{
	s = (struct scan){ .program = &program, .options = &options, .depth = 6 };
	pthread_mutex_init(&s.assume_lock, NULL);
	paths_begin(&s);
	facts_begin(&s);
	return 0;
}

static int end(void **state)
{
	intern_end(&s.paths);
	intern_end(&s.sets);
	VEC_FREE(&s.fixed);
	arena_free(&s.arena);
	return 0;
}

static struct fact held(const char *lock)
{
	return (struct fact){ .kind = FACT_HELD, .mode = LOCK_WRITE, .path = path_fixed(&s, lock) };
}

static struct fact released(const char *lock)
{
	return (struct fact){ .kind = FACT_RELEASED, .path = path_fixed(&s, lock) };
}

#define SET(...) facts_make(&s, (struct fact[]){ __VA_ARGS__ }, sizeof((struct fact[]){ __VA_ARGS__ }) / sizeof(struct fact))

static void equal_sets_are_one_number(void **state)
{
	assert_int_equal(SET(held("a"), held("b")), SET(held("b"), held("a")));
	assert_int_equal(SET(held("a"), held("a")), SET(held("a")));
	assert_int_not_equal(SET(held("a")), SET(released("a")));
}

/* (L+, L-) join (L'+, L'-) = (L+ and L'+, L- or L'-); bottom gives the other. */
static void ways_meet_as_the_paper_says(void **state)
{
	facts_id x = SET(held("a"), held("b"), released("c")), y = SET(held("b"), released("d"));

	assert_int_equal(facts_meet(&s, x, y), SET(held("b"), released("c"), released("d")));
	assert_int_equal(facts_meet(&s, 0, y), y);
	assert_int_equal(facts_meet(&s, x, 0), x);
	assert_int_equal(facts_meet(&s, x, x), x);
}

/* ((L+ or L'+) - L'-, (L- or L'-) - L'+) */
static void a_call_updates_as_the_paper_says(void **state)
{
	assert_int_equal(facts_compose(&s, SET(held("a")), SET(released("a"))), SET(released("a")));
	assert_int_equal(facts_compose(&s, SET(released("a")), SET(held("a"))), SET(held("a")));
	assert_int_equal(facts_compose(&s, SET(held("a")), SET(held("b"), released("c"))), SET(held("a"), held("b"), released("c")));
	assert_int_equal(facts_compose(&s, SET(held("a")), s.nothing), SET(held("a")));
	assert_int_equal(facts_compose(&s, SET(held("a")), 0), 0); /* it does not return */
}

static void a_mode_is_the_weaker_of_two_ways(void **state)
{
	struct fact reading = held("a");

	reading.mode = LOCK_READ;
	assert_int_equal(facts_meet(&s, SET(held("a")), SET(reading)), SET(reading));
}

static void a_reentrant_lock_counts(void **state)
{
	struct fact once = held("a");
	facts_id twice;

	once.count = 1;
	twice = facts_add(&s, facts_add(&s, s.nothing, once), once);
	assert_int_equal(facts_release(&s, twice, once.path), SET(once));
	assert_int_equal(facts_release(&s, facts_release(&s, twice, once.path), once.path), s.nothing);
	/* Its twin that is not re-entrant is gone after the first. */
	assert_int_equal(facts_release(&s, facts_add(&s, SET(held("a")), held("a")), once.path), s.nothing);
}

static struct fact thread(uint32_t site, path_id id)
{
	return (struct fact){ .kind = FACT_RUNS, .site = site, .path = id };
}

static path_id id_at(const char *variable)
{
	return path_load(&s, path_fixed(&s, variable), IR_NO, 0);
}

static void a_join_ends_the_thread_of_its_id(void **state)
{
	facts_id running = SET(thread(1, id_at("t")), thread(2, id_at("u")));
	struct fact join = { .kind = FACT_JOINED, .path = id_at("t") };

	assert_false(facts_find(&s, facts_join(&s, running, join, false), FACT_RUNS, id_at("t")));
	assert_true(facts_find(&s, facts_join(&s, running, join, false), FACT_RUNS, id_at("u")));
}

/* Two threads, one variable for the id: the first can never be joined. */
static void an_overwritten_id_is_lost(void **state)
{
	facts_id running = facts_add(&s, facts_add(&s, s.nothing, thread(1, id_at("t"))), thread(2, id_at("t")));
	facts_id after = facts_join(&s, running, (struct fact){ .kind = FACT_JOINED, .path = id_at("t") }, false);

	assert_true(facts_find(&s, after, FACT_RUNS, 0));
	assert_false(facts_find(&s, after, FACT_RUNS, id_at("t")));
}

static struct fact ranged(enum fact_kind kind, int64_t lo, int64_t hi)
{
	path_id any = path_load(&s, path_index(&s, path_fixed(&s, "ids"), 8, s.any), IR_NO, 0);

	return (struct fact){ .kind = (uint8_t)kind, .path = any, .lo = lo, .hi = hi };
}

static void a_join_loop_must_cover_the_create_loop(void **state)
{
	facts_id running = SET(ranged(FACT_RUNS, 0, 4));

	assert_false(facts_has(&s, facts_join(&s, running, ranged(FACT_JOINED, 0, 4), false), FACT_RUNS));
	assert_false(facts_has(&s, facts_join(&s, running, ranged(FACT_JOINED, 0, 5), false), FACT_RUNS));
	assert_true(facts_has(&s, facts_join(&s, running, ranged(FACT_JOINED, 0, 3), false), FACT_RUNS));
	assert_true(facts_has(&s, facts_join(&s, running, ranged(FACT_JOINED, 1, 4), false), FACT_RUNS));
	/* What the joining loop itself has created is not joined by it. */
	assert_true(facts_has(&s, facts_join(&s, running, ranged(FACT_JOINED, 0, 4), true), FACT_RUNS));
}

static struct fact passed(int64_t times, int64_t every)
{
	return (struct fact){ .kind = FACT_PHASE, .path = path_fixed(&s, "barrier"), .lo = times, .hi = every };
}

static void barriers_are_counted(void **state)
{
	assert_int_equal(facts_compose(&s, SET(passed(1, 0)), SET(passed(2, 0))), SET(passed(3, 0)));
	assert_int_equal(facts_meet(&s, SET(passed(3, 0)), SET(passed(1, 0))), SET(passed(1, 2))); /* odd */
	assert_int_equal(facts_meet(&s, SET(passed(2, 0)), s.nothing), SET(passed(0, 2)));         /* even */
}

/* Too much to remember: what was let go becomes "any", what is held stays. */
static void a_full_set_keeps_the_lock(void **state)
{
	facts_id set = SET((struct fact){ .kind = FACT_HELD, .path = path_fixed(&s, "kept"), .mode = LOCK_WRITE });

	for (uint32_t i = 0; i < 1000; i++)
		set = facts_add(&s, set, (struct fact){ .kind = FACT_RELEASED, .path = path_plain(&s, PATH_FIXED, 100 + i, 0) });
	assert_true(facts_find(&s, set, FACT_HELD, path_fixed(&s, "kept")));
	assert_true(facts_find(&s, set, FACT_RELEASED, 0));
	assert_false(facts_find(&s, set, FACT_RELEASED, path_plain(&s, PATH_FIXED, 1099, 0)));
	/* A caller keeps nothing over such a call, and gains the lock. */
	set = facts_compose(&s, SET((struct fact){ .kind = FACT_HELD, .path = path_fixed(&s, "outer"), .mode = LOCK_WRITE }), set);
	assert_false(facts_find(&s, set, FACT_HELD, path_fixed(&s, "outer")));
	assert_true(facts_find(&s, set, FACT_HELD, path_fixed(&s, "kept")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
		T(equal_sets_are_one_number), T(ways_meet_as_the_paper_says), T(a_call_updates_as_the_paper_says),
		T(a_mode_is_the_weaker_of_two_ways), T(a_reentrant_lock_counts), T(a_join_ends_the_thread_of_its_id),
		T(an_overwritten_id_is_lost), T(a_join_loop_must_cover_the_create_loop), T(barriers_are_counted),
		T(a_full_set_keeps_the_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
