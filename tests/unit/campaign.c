/* campaign: rounds, leases and workers in the store; on either engine, see place.h. */
#include "unit.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "place.h"
#include "store/campaign.h"

static struct candidate race, pair;

/* A store with a campaign of two targets, a budget of 100. */
static struct store *ready(const char *name, struct store_campaign *c, int64_t *run)
{
	struct store *store = fresh(name);
	struct store_target targets[2] = { { .plan = "plan a" }, { .plan = "plan b" } };
	int64_t program;

	race = finding_race();
	pair = finding_pair();
	*run = begin(store, &program);
	assert_int_equal(store_put_candidate(store, *run, &race, NULL), 0);
	assert_int_equal(store_put_candidate(store, *run, &pair, NULL), 0);
	strcpy(targets[0].id, race.id);
	strcpy(targets[1].id, pair.id);
	*c = (struct store_campaign){ .name = "night", .program = program, .seed = 7, .trials = 100, .plan = "{}" };
	if (store_put_campaign(store, c, targets, 2))
		fail_msg("%s", error_message());
	return store;
}

/* 25 trials for each until each has 50 or the time is over, in pieces of 10. */
static void plan(const struct store_campaign *campaign, struct store_tally *t, size_t count, unsigned *piece)
{
	*piece = 10;
	for (size_t i = 0; i < count; i++)
		t[i].share = t[i].done < 50 && (!campaign->ms || campaign->spent < campaign->ms) ? 25 : 0;
}

static int64_t worker_of(struct store *store)
{
	int64_t worker;
	unsigned core;

	assert_int_equal(store_begin_worker(store, 1, 2, &worker, &core), 0);
	return worker;
}

static int put(struct store *store, int64_t worker, int64_t run, int64_t program, struct store_lease *lease, unsigned count)
{
	struct store_trial trials[64];
	struct store_result result = { .settled = count, .trials = trials, .count = count, .ms = 5 };

	for (unsigned i = 0; i < count; i++)
		trials[i] = (struct store_trial){ lease->target, "pair", lease->first + lease->done + i, "exit 0", false, true,
						  (int)(i % 2), 10, 1 };
	return store_put_lease(store, worker, run, program, lease, &result);
}

static struct store_campaign find(struct store *store, struct arena *arena)
{
	struct store_campaign *all;
	size_t count;

	assert_int_equal(store_campaigns(store, arena, &all, &count), 0);
	assert_int_equal(count, 1);
	return all[0];
}

static void expect_whole(struct store *store, int64_t trials)
{
	struct store_totals totals;

	if (store_check(store, &totals))
		fail_msg("%s", error_message());
	assert_int_equal(totals.settled, trials);
	assert_int_equal(totals.trials, trials);
}

static void a_campaign_goes_through_its_rounds(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store_campaign c;
	struct store_lease lease;
	int64_t run, worker;
	struct store *store = ready("rounds", &c, &run);
	unsigned leases = 0;
	bool begun;

	worker = worker_of(store);
	assert_int_equal(store_take_lease(store, worker, c.id, &lease), 0); /* no round yet */
	for (int round = 1; round <= 2; round++) {
		assert_int_equal(store_plan_round(store, c.id, plan, &begun), 0);
		assert_true(begun);
		assert_int_equal(store_plan_round(store, c.id, plan, &begun), 0); /* a second one changes nothing */
		assert_true(begun);
		while (store_take_lease(store, worker, c.id, &lease) == 1) {
			leases++;
			assert_int_equal(put(store, worker, run, c.program, &lease, 3), 1);
			assert_int_equal(put(store, worker, run, c.program, &lease, lease.count - 3), 1);
		}
		assert_int_equal(find(store, &arena).round, round);
	}
	assert_int_equal(leases, 2 * 2 * 3); /* 10, 10, 5 */
	assert_int_equal(store_plan_round(store, c.id, plan, &begun), 0);
	assert_false(begun);
	c = find(store, &arena);
	assert_int_equal(c.state, CAMPAIGN_DONE);
	assert_int_equal(c.done, 100);
	assert_int_equal(c.confirmed, 2);
	assert_int_equal(c.harmful, 0);
	assert_int_equal(c.leases, 0);
	expect_whole(store, 100);
	arena_free(&arena);
	store_close(store);
}

static void a_name_is_given_once(void **state)
{
	struct store_campaign c, again;
	int64_t run;
	struct store *store = ready("names", &c, &run);

	again = c;
	assert_int_equal(store_put_campaign(store, &again, NULL, 0), -1);
	assert_int_equal(error_status(), 2);
	assert_non_null(strstr(error_message(), "night"));
	store_close(store);
}

/* Two processes, one of which is taken for dead while it works: its late results count nothing. */
static void a_lost_lease_counts_nothing(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store_campaign c;
	struct store_lease mine, theirs;
	int64_t run, one, two;
	struct store *store = ready("lost", &c, &run);
	bool begun;

	one = worker_of(store);
	two = worker_of(store);
	assert_int_equal(store_plan_round(store, c.id, plan, &begun), 0);
	assert_int_equal(store_take_lease(store, one, c.id, &mine), 1);
	assert_int_equal(put(store, one, run, c.program, &mine, 4), 1);
	assert_int_equal(store_renew_lease(store, one, &mine), 1);
	assert_int_equal(store_end_worker(store, one), 0); /* given back */
	assert_int_equal(store_take_lease(store, two, c.id, &theirs), 1);
	assert_int_equal(theirs.id, mine.id);
	assert_int_equal(theirs.done, 4); /* goes on where it was */
	assert_int_equal(store_renew_lease(store, one, &mine), 0);
	assert_int_equal(put(store, one, run, c.program, &mine, 6), 0);
	assert_int_equal(find(store, &arena).done, 4);
	assert_int_equal(put(store, two, run, c.program, &theirs, 6), 1);
	assert_int_equal(put(store, two, run, c.program, &theirs, 1), 0); /* it is done and gone */
	expect_whole(store, 10);
	arena_free(&arena);
	store_close(store);
}

static void no_lease_is_taken_twice(void **state)
{
	struct store_campaign c;
	struct store_lease leases[6], none;
	int64_t run;
	struct store *one = ready("taken", &c, &run), *two = fresh("taken");
	int64_t a = worker_of(one), b = worker_of(two);
	bool begun;

	assert_int_equal(store_plan_round(one, c.id, plan, &begun), 0);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(store_take_lease(i % 2 ? one : two, i % 2 ? a : b, c.id, &leases[i]), 1);
		for (int j = 0; j < i; j++)
			assert_int_not_equal(leases[i].id, leases[j].id);
	}
	assert_int_equal(store_take_lease(one, a, c.id, &none), 0);
	store_close(one);
	store_close(two);
}

/* Of a worker on this machine that is gone we need not wait for the end of its lease. */
static void a_dead_worker_gives_its_leases_back(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store_campaign c;
	struct store_worker *workers;
	struct store_lease lease;
	int64_t run, me;
	struct store *store = ready("dead", &c, &run);
	bool begun;
	size_t count;
	int status;
	pid_t pid;

	assert_int_equal(store_plan_round(store, c.id, plan, &begun), 0);
	store_close(store);
	pid = fork();
	if (!pid) {
		struct store_lease mine;

		store = store_open(place("dead"), false);
		if (!store || store_take_lease(store, worker_of(store), c.id, &mine) != 1)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	store = fresh("dead");
	me = worker_of(store);
	assert_int_equal(store_workers(store, &arena, &workers, &count), 0);
	assert_int_equal(count, 2);
	assert_true(workers[0].is_dead);
	assert_false(workers[1].is_dead);
	assert_int_equal(store_reclaim(store), 1);
	assert_int_equal(store_reclaim(store), 0);
	assert_int_equal(store_take_lease(store, me, c.id, &lease), 1);
	arena_free(&arena);
	store_close(store);
}

static void a_campaign_without_leases_is_offered_for_planning(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store_campaign c;
	struct store_offer *offers;
	int64_t run;
	struct store *store = ready("offers", &c, &run);
	size_t count;
	bool begun;

	assert_int_equal(store_offers(store, &arena, &offers, &count), 0);
	assert_int_equal(count, 1);
	assert_true(offers[0].is_empty);
	assert_false(offers[0].is_free);
	assert_int_equal(store_plan_round(store, c.id, plan, &begun), 0);
	assert_int_equal(store_offers(store, &arena, &offers, &count), 0);
	assert_false(offers[0].is_empty);
	assert_true(offers[0].is_free);
	arena_free(&arena);
	store_close(store);
}

/* Its time over, nothing is begun any more, and the campaign ends. */
static void time_ends_a_campaign(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store_campaign c, timed;
	struct store_target target = { .plan = "p" };
	struct store_lease lease;
	int64_t run, worker;
	struct store *store = ready("timed", &c, &run);
	bool begun;

	worker = worker_of(store);
	timed = (struct store_campaign){ .name = "short", .program = c.program, .ms = 5, .plan = "{}" };
	strcpy(target.id, race.id);
	assert_int_equal(store_put_campaign(store, &timed, &target, 1), 0);
	assert_int_equal(store_plan_round(store, timed.id, plan, &begun), 0);
	assert_true(begun);
	assert_int_equal(store_take_lease(store, worker, timed.id, &lease), 1);
	assert_int_equal(put(store, worker, run, c.program, &lease, 10), 1); /* takes 5 ms, see put() */
	assert_int_equal(store_take_lease(store, worker, timed.id, &lease), 0);
	assert_int_equal(store_plan_round(store, timed.id, plan, &begun), 0);
	assert_false(begun);
	assert_int_equal(store_find_campaign(store, &arena, "short", &timed), 1);
	assert_int_equal(timed.state, CAMPAIGN_DONE);
	arena_free(&arena);
	store_close(store);
}

static void what_is_met_becomes_a_target_of_the_next_round(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store_campaign c;
	struct store_target_result *results;
	struct candidate other = finding_race();
	struct store_target target = { .plan = "plan c" };
	int64_t run;
	struct store *store = ready("met", &c, &run);
	size_t count;
	const char *text;

	other.access[0].function = "add";
	candidate_identify(&other);
	assert_int_equal(store_put_candidate(store, run, &other, NULL), 0);
	strcpy(target.id, other.id);
	for (int i = 0; i < 2; i++)
		assert_int_equal(store_add_target(store, c.id, &target), 0);
	assert_int_equal(store_target_results(store, &arena, c.id, &results, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(store_get_target(store, &arena, c.id, other.id, &text), 1);
	assert_string_equal(text, "plan c");
	assert_int_equal(store_get_target(store, &arena, c.id, "0000000000000000", &text), 0);
	arena_free(&arena);
	store_close(store);
}

/* A check that never fails would be worth nothing. */
static void the_check_finds_what_is_wrong(void **state)
{
	static const char *const damages[] = {
		"DELETE FROM trial", "UPDATE finding SET hits = hits + 1 WHERE hits > 0", "UPDATE tally SET count = count + 1",
		"UPDATE finding SET rung = 1 WHERE hits > 0", "UPDATE campaign SET done = done + 1",
		"UPDATE lease SET done = count", "INSERT INTO lease (campaign, finding, first, count) SELECT campaign, finding, first, 1 FROM lease",
		"DELETE FROM climb", "PRAGMA foreign_keys = OFF; DELETE FROM run",
	};
	struct store_campaign c;
	struct store_totals totals;
	struct store_lease lease;
	int64_t run, worker;
	struct store *store;
	sqlite3 *db;
	bool begun;

	only_a_folder();
	store = ready("wrong", &c, &run);
	worker = worker_of(store);
	assert_int_equal(store_plan_round(store, c.id, plan, &begun), 0);
	assert_int_equal(store_take_lease(store, worker, c.id, &lease), 1);
	assert_int_equal(put(store, worker, run, c.program, &lease, 3), 1);
	expect_whole(store, 3);
	store_close(store);
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		char command[400];

		snprintf(command, sizeof(command), "cd %s && rm -rf other && cp -r wrong other", unit_folder);
		assert_int_equal(system(command), 0);
		assert_int_equal(sqlite3_open(unit_path("other/store.db"), &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, damages[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		store = fresh("other");
		if (!store_check(store, &totals))
			fail_msg("not found: %s", damages[i]);
		assert_non_null(strstr(error_message(), "damaged"));
		store_close(store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_campaign_goes_through_its_rounds), cmocka_unit_test(a_name_is_given_once),
		cmocka_unit_test(a_lost_lease_counts_nothing), cmocka_unit_test(no_lease_is_taken_twice),
		cmocka_unit_test(a_dead_worker_gives_its_leases_back),
		cmocka_unit_test(a_campaign_without_leases_is_offered_for_planning), cmocka_unit_test(time_ends_a_campaign),
		cmocka_unit_test(what_is_met_becomes_a_target_of_the_next_round), cmocka_unit_test(the_check_finds_what_is_wrong),
	};

	return cmocka_run_group_tests_name("campaign", tests, NULL, unit_clean);
}
