/*
 * store: merging, trials counted once, nothing lost when killed, clear refusals.
 *
 * The same functions for both engines: with TEST_POSTGRESQL=FOLDER (of the socket of a server,
 * tests/store/engines.t) each store is a database there; what is about files is skipped then.
 */
#include "unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "findings.h"
#include "place.h"

static struct store_findings read_all(struct store *store, struct arena *arena)
{
	struct store_findings f;

	if (store_read(store, arena, &f))
		fail_msg("%s", error_message());
	return f;
}

static void run_sql(const char *name, const char *sql)
{
	char path[600];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/store.db", unit_path(name));
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* ---- what goes in comes out ------------------------------------------------------- */

static void a_candidate_comes_back_whole(void **state)
{
	struct store *store = fresh("whole");
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race(), *r;
	struct store_findings f;
	bool is_new = false;

	assert_int_equal(store_put_candidate(store, 0, &c, &is_new), 0);
	assert_true(is_new);
	f = read_all(store, &arena);
	assert_int_equal(f.candidate_count, 1);
	r = &f.candidates[0];
	assert_string_equal(r->id, c.id);
	assert_int_equal(r->rung, RUNG_SUSPECTED);
	assert_int_equal(r->found_by, FINDER_DETECT);
	assert_string_equal(r->variable, "counter");
	assert_string_equal(r->memory, "global of 4 bytes");
	assert_string_equal(r->access[0].function, "inc");
	assert_string_equal(r->access[0].thread, c.access[0].thread);
	assert_string_equal(r->access[0].value, "0 -> 1");
	assert_null(r->access[1].value);
	assert_int_equal(r->access[0].line, 12);
	assert_int_equal(r->access[0].column, 9);
	assert_int_equal(r->access[0].ordinal, 2);
	assert_int_equal(r->access[1].flags, ACCESS_ATOMIC);
	assert_int_equal(r->access[1].lock_count, 2);
	assert_string_equal(r->access[1].locks[1].name, "table");
	assert_int_equal(r->access[1].locks[1].mode, LOCK_READ);
	assert_int_equal(r->access[0].stack_count, 2);
	assert_true(r->access[0].stack[0].inlined);
	assert_string_equal(r->access[0].stack[1].function, "worker");
	assert_null(r->access[1].stack[1].function);
	assert_string_equal(r->access[1].stack[1].place.module, "/usr/lib/libc.so.6");
	assert_int_equal(r->access[1].stack[1].place.offset, 0x99);
	assert_int_equal(r->access[0].place_count, 1);
	assert_string_equal(r->access[0].places[0].build_id, BUILD);
	assert_int_equal(r->access[0].places[0].offset, 0x1234);
	assert_null(r->witness);
	arena_free(&arena);
	store_close(store);
}

static void odd_text_survives(void **state)
{
	struct store *store = fresh("odd");
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	struct store_findings f;

	c.variable = "a\tb\nc\\d\\N";
	c.access[0].function = "\\N";
	c.access[0].thread = "";
	assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
	f = read_all(store, &arena);
	assert_string_equal(f.candidates[0].variable, "a\tb\nc\\d\\N");
	assert_string_equal(f.candidates[0].access[0].function, "\\N");
	assert_string_equal(f.candidates[0].access[0].thread, "");
	arena_free(&arena);
	store_close(store);
}

static void deadlocks_and_failures_come_back(void **state)
{
	struct store *store = fresh("others");
	struct arena arena = ARENA_INIT;
	struct deadlock_edge edges[2];
	struct deadlock d = finding_deadlock(edges, true);
	struct failure failure = finding_failure();
	struct store_findings f;
	bool is_new;

	assert_int_equal(store_put_deadlock(store, 0, &d, &is_new), 0);
	assert_int_equal(store_put_failure(store, 0, &failure, &is_new), 0);
	assert_int_equal(store_put_failure(store, 0, &failure, &is_new), 0);
	assert_false(is_new);
	f = read_all(store, &arena);
	assert_int_equal(f.deadlock_count, 1);
	assert_int_equal(f.deadlocks[0].edge_count, 2);
	assert_string_equal(f.deadlocks[0].edges[0].holds, d.edges[0].holds);
	assert_int_equal(f.deadlocks[0].edges[1].wait_at.offset, d.edges[1].wait_at.offset);
	assert_string_equal(f.deadlocks[0].edges[1].stack[0].function, d.edges[1].stack[0].function);
	assert_int_equal(f.failure_count, 1);
	assert_int_equal(f.failures[0].count, 2);
	assert_string_equal(f.failures[0].message, failure.message);
	arena_free(&arena);
	store_close(store);
}

/* ---- merging --------------------------------------------------------------------------- */

static struct candidate merged(const char *name, const struct candidate *one, const struct candidate *two, struct arena *arena)
{
	struct store *store = fresh(name);
	struct store_findings f;
	bool is_new;

	assert_int_equal(store_put_candidate(store, 0, one, &is_new), 0);
	assert_int_equal(store_put_candidate(store, 0, two, &is_new), 0);
	assert_false(is_new);
	f = read_all(store, arena);
	assert_int_equal(f.candidate_count, 1);
	store_close(store);
	return f.candidates[0];
}

static void rungs_only_climb(void **state)
{
	struct arena arena = ARENA_INIT;
	struct candidate high = finding_race(), low = finding_race(), r;

	high.rung = RUNG_CAUGHT;
	low.rung = RUNG_CLAIMED;
	low.found_by = FINDER_SCAN;
	r = merged("climb1", &high, &low, &arena);
	assert_int_equal(r.rung, RUNG_CAUGHT);
	assert_int_equal(r.found_by, FINDER_DETECT | FINDER_SCAN);
	r = merged("climb2", &low, &high, &arena);
	assert_int_equal(r.rung, RUNG_CAUGHT);
	arena_free(&arena);
}

static void the_example_with_stacks_wins(void **state)
{
	struct arena arena = ARENA_INIT;
	struct candidate full = finding_race(), bare = finding_race(), r;

	for (int i = 0; i < 2; i++) {
		bare.access[i].stack_count = bare.access[i].lock_count = 0;
		bare.access[i].value = NULL;
		bare.access[i].thread = "T9";
	}
	bare.variable = NULL;
	r = merged("stacks1", &full, &bare, &arena);
	assert_int_equal(r.access[0].stack_count, 2);
	assert_string_equal(r.access[0].thread, "T1, created at counter.c:41");
	assert_string_equal(r.variable, "counter");
	r = merged("stacks2", &bare, &full, &arena);
	assert_int_equal(r.access[0].stack_count, 2);
	assert_int_equal(r.access[1].lock_count, 2);
	assert_string_equal(r.variable, "counter");
	arena_free(&arena);
}

/* scan has a path, which looks like a stack, but no place in a build: what a run saw stays the example. */
static void what_was_seen_wins_over_what_was_thought(void **state)
{
	struct arena arena = ARENA_INIT;
	struct candidate seen = finding_race(), thought = finding_race(), r;

	thought.rung = RUNG_CLAIMED;
	thought.found_by = FINDER_SCAN;
	for (int i = 0; i < 2; i++) {
		thought.access[i].thread = "worker";
		thought.access[i].place_count = 0;
	}
	r = merged("thought1", &seen, &thought, &arena);
	assert_string_equal(r.access[0].thread, "T1, created at counter.c:41");
	assert_int_equal(r.access[0].place_count, 1);
	r = merged("thought2", &thought, &seen, &arena);
	assert_string_equal(r.access[0].thread, "T1, created at counter.c:41");
	assert_int_equal(r.found_by, FINDER_DETECT | FINDER_SCAN);
	arena_free(&arena);
}

static void places_unite_over_builds(void **state)
{
	static const struct place other[] = { { "ffff", "/w/counter", 0x9999 }, { BUILD, "/elsewhere/counter", 0x1234 } };
	struct arena arena = ARENA_INIT;
	struct candidate a = finding_race(), b = finding_race(), r;

	b.access[0].places = other;
	b.access[0].place_count = 2;
	b.access[0].line = 112; /* rebuilt with lines added above: the newer lines are shown */
	b.access[1].line = 131;
	r = merged("places", &a, &b, &arena);
	assert_int_equal(r.access[0].place_count, 2); /* the same build and offset is the same place */
	assert_int_equal(r.access[0].places[1].offset, 0x9999);
	assert_int_equal(r.access[1].place_count, 1);
	assert_int_equal(r.access[0].line, 112);
	arena_free(&arena);
}

/* The functions changed places in the file: canonical order turns, the stored one stays. */
static void sides_keep_their_order(void **state)
{
	struct arena arena = ARENA_INIT;
	struct candidate a = finding_race(), b = finding_race(), r;

	b.access[0].line = 62; /* inc() moved behind flush() */
	candidate_identify(&b);
	assert_string_equal(a.id, b.id);
	assert_string_equal(b.access[0].function, "flush");
	r = merged("turned", &a, &b, &arena);
	assert_string_equal(r.access[0].function, "inc");
	assert_int_equal(r.access[0].line, 62);
	assert_int_equal(r.access[1].line, 31);
	assert_int_equal(r.access[0].place_count, 1);
	arena_free(&arena);
}

/* ---- trials ------------------------------------------------------------------------------- */

static void trials_count_once(void **state)
{
	struct store *store = fresh("trials");
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	struct store_findings f;
	int64_t program, run = begin(store, &program);
	struct store_trial trials[] = {
		{ c.id, "pair", 1, "exit 0", false, true, 0, 100, 0xffffffffffffffffull },
		{ c.id, "pair", 2, "exit 0", false, true, 1, 100, 2 },
		{ c.id, "pair", 3, "exit 0", false, false, -1, 100, 3 },
		{ c.id, "pair", UINT64_MAX, "exit 0", false, false, -1, 100, 3 },
		{ c.id, "random", 1, "exit 0", false, false, -1, 100, 3 },
	};

	assert_int_equal(store_put_candidate(store, run, &c, NULL), 0);
	assert_int_equal(store_put_trials(store, run, program, trials, 5), 0);
	assert_int_equal(store_put_trials(store, run, program, trials, 5), 0);
	assert_int_equal(store_put_trial(store, run, program, &trials[0]), 0);
	f = read_all(store, &arena);
	assert_int_equal(f.candidates[0].trials, 5);
	assert_int_equal(f.candidates[0].hits, 2);
	assert_int_equal(f.candidates[0].rung, RUNG_CONFIRMED);
	assert_int_equal(f.candidates[0].outcome_count, 1);
	assert_string_equal(f.candidates[0].outcomes[0].name, "exit 0");
	assert_int_equal(f.candidates[0].outcomes[0].count, 5);
	assert_int_equal(f.candidates[0].outcomes[0].a_first, 1);
	assert_int_equal(f.candidates[0].outcomes[0].b_first, 1);
	assert_false(f.candidates[0].outcomes[0].harm);
	arena_free(&arena);
	store_close(store);
}

static void misses_confirm_nothing(void **state)
{
	struct store *store = fresh("misses");
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	struct store_findings f;
	int64_t program, run = begin(store, &program);
	struct store_trial crash = { c.id, "pair", 1, "SIGSEGV", true, false, -1, 10, 1 };

	assert_int_equal(store_put_candidate(store, run, &c, NULL), 0);
	assert_int_equal(store_put_trial(store, run, program, &crash), 0);
	f = read_all(store, &arena);
	assert_int_equal(f.candidates[0].rung, RUNG_SUSPECTED); /* a crash that did not meet the pair */
	assert_int_equal(f.candidates[0].trials, 1);
	arena_free(&arena);
	store_close(store);
}

static void a_hit_with_harm_is_harmful(void **state)
{
	struct store *store = fresh("harm");
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	struct deadlock_edge edges[2];
	struct deadlock d = finding_deadlock(edges, false);
	struct store_findings f;
	int64_t program, run = begin(store, &program);
	struct store_trial bad[] = { { c.id, "pair", 1, "SIGABRT", true, true, 1, 10, 1 },
				     { d.id, "pair", 1, "deadlock", true, true, 0, 10, 1 },
				     { "", "random", 1, "exit 0", false, false, -1, 10, 1 } };

	assert_int_equal(store_put_candidate(store, run, &c, NULL), 0);
	assert_int_equal(store_put_deadlock(store, run, &d, NULL), 0);
	assert_int_equal(store_put_trials(store, run, program, bad, 3), 0);
	f = read_all(store, &arena);
	assert_int_equal(f.candidates[0].rung, RUNG_HARMFUL);
	assert_true(f.candidates[0].outcomes[0].harm);
	assert_int_equal(f.deadlocks[0].rung, RUNG_HARMFUL);
	assert_int_equal(f.deadlocks[0].hits, 1);
	arena_free(&arena);
	store_close(store);
}

/* All or nothing: the third trial names a finding that is not there. */
static void a_bad_trial_undoes_its_transaction(void **state)
{
	struct store *store = fresh("undo");
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	int64_t program, run = begin(store, &program);
	struct store_trial trials[] = { { c.id, "pair", 1, "exit 0", false, true, 0, 1, 1 },
					{ "0000000000000000", "pair", 1, "exit 0", false, true, 0, 1, 1 } };

	assert_int_equal(store_put_candidate(store, run, &c, NULL), 0);
	assert_int_equal(store_put_trials(store, run, program, trials, 2), -1);
	assert_non_null(strstr(error_message(), "unknown finding 0000000000000000"));
	assert_int_equal(read_all(store, &arena).candidates[0].trials, 0);
	assert_int_equal(store_put_trials(store, run, program, trials, 1), 0);
	assert_int_equal(read_all(store, &arena).candidates[0].trials, 1);
	arena_free(&arena);
	store_close(store);
}

/* ---- programs, runs, witnesses ---------------------------------------------------------------- */

static void a_program_comes_back(void **state)
{
	struct store *store = fresh("program");
	struct arena arena = ARENA_INIT;
	struct store_program p, again = { .path = "/w/counter", .build_id = BUILD, .cwd = "/w",
					  .argv = (char *[]){ "counter", NULL }, .envp = (char *[]){ "A=1", "SHLVL=1", NULL } };
	int64_t program, first;

	assert_int_equal(store_get_program(store, &arena, 0, &p), 0);
	begin(store, &program);
	assert_int_equal(store_get_program(store, &arena, 0, &p), 1);
	assert_int_equal(p.id, program);
	assert_string_equal(p.argv[1], "a b");
	assert_string_equal(p.argv[2], "tab\there");
	assert_string_equal(p.argv[3], "");
	assert_null(p.argv[4]);
	assert_string_equal(p.envp[1], "X=back\\slash\nline");
	assert_int_equal(store_put_program(store, &again), 0);
	first = again.id;
	assert_int_not_equal(first, program);
	again.envp = (char *[]){ "SHLVL=2", "A=1", NULL };
	assert_int_equal(store_put_program(store, &again), 0);
	assert_int_equal(again.id, first); /* another shell level is not another program */
	again.envp = (char *[]){ "A=2", NULL };
	assert_int_equal(store_put_program(store, &again), 0);
	assert_int_not_equal(again.id, first);
	begin(store, &program);
	assert_int_equal(store_get_program(store, &arena, 0, &p), 1); /* newest = used last */
	assert_int_equal(p.id, program);
	assert_int_equal(store_get_program(store, &arena, first, &p), 1);
	assert_string_equal(p.envp[0], "A=1");
	assert_int_equal(store_get_program(store, &arena, 77, &p), 0);
	arena_free(&arena);
	store_close(store);
}

static void counters_add_up(void **state)
{
	struct store *store = fresh("counters");
	struct arena arena = ARENA_INIT;
	struct store_findings f;
	int64_t program, run;

	for (int i = 0; i < 2; i++) {
		run = begin(store, &program);
		assert_int_equal(store_put_counter(store, run, "lost_pairs", 2), 0);
		assert_int_equal(store_put_counter(store, run, "lost_pairs", 1), 0);
		assert_int_equal(store_put_counter(store, run, "threads", 4), 0);
		assert_int_equal(store_end_run(store, run, "exit 0"), 0);
	}
	f = read_all(store, &arena);
	assert_int_equal(f.counter_count, 2);
	assert_string_equal(f.counters[0].name, "lost_pairs");
	assert_int_equal(f.counters[0].value, 6);
	assert_int_equal(f.counters[1].value, 8);
	arena_free(&arena);
	store_close(store);
}

static void a_witness_and_its_schedule_come_back(void **state)
{
	struct store *store = fresh("witness");
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	struct witness w = { .seed = UINT64_MAX, .policy = "pair", .steps = 77, .switches = 3, .outcome = "SIGABRT" };
	const struct witness *r;
	int64_t program, from, run = begin(store, &program);
	void *bytes;
	size_t size;

	assert_int_equal(store_put_witness(store, c.id, &w, "x", 1), -1); /* no such finding yet */
	assert_int_equal(store_put_candidate(store, run, &c, NULL), 0);
	assert_int_equal(store_get_schedule(store, &arena, c.id, &bytes, &size, &from), 0);
	assert_int_equal(store_put_witness(store, c.id, &w, "old", 3), 0);
	assert_int_equal(store_put_witness(store, c.id, &w, "s\0e", 3), 0);
	assert_int_equal(store_get_schedule(store, &arena, c.id, &bytes, &size, &from), 1);
	assert_int_equal(size, 3);
	assert_memory_equal(bytes, "s\0e", 3);
	assert_int_equal(from, program);
	r = read_all(store, &arena).candidates[0].witness;
	assert_true(r->seed == UINT64_MAX);
	assert_int_equal(r->steps, 77);
	assert_int_equal(r->switches, 3);
	assert_string_equal(r->outcome, "SIGABRT");
	if (getenv("TEST_POSTGRESQL"))
		assert_null(r->schedule); /* it lies in the database */
	else
		assert_int_equal(access(r->schedule, R_OK), 0);
	arena_free(&arena);
	store_close(store);
}

/* ---- ids and order ------------------------------------------------------------------------- */

static void prefixes_resolve(void **state)
{
	static const char *const ids[] = { "7f3a000000000000", "7f3b000000000000", "0abc000000000000" };
	struct store *store = fresh("prefix");
	char id[CANDIDATE_ID_SIZE];

	for (int i = 0; i < 3; i++) {
		struct candidate c = finding_race();

		strcpy(c.id, ids[i]);
		assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
	}
	assert_int_equal(store_resolve(store, "7f3a", id), 1);
	assert_string_equal(id, ids[0]);
	assert_int_equal(store_resolve(store, "7F3B", id), 1);
	assert_string_equal(id, ids[1]);
	assert_int_equal(store_resolve(store, "0", id), 1);
	assert_int_equal(store_resolve(store, ids[2], id), 1);
	assert_int_equal(store_resolve(store, "9", id), 0);
	assert_int_equal(store_resolve(store, "", id), 0);
	assert_int_equal(store_resolve(store, "xyz%", id), 0);
	assert_int_equal(store_resolve(store, "7f3a0000000000000", id), 0);
	assert_int_equal(store_resolve(store, "7f3", id), -1);
	assert_non_null(strstr(error_message(), "7f3a000000000000, 7f3b000000000000"));
	store_close(store);
}

static void findings_are_in_order(void **state)
{
	struct store *store = fresh("order");
	struct arena arena = ARENA_INIT;
	struct candidate a = finding_race(), b = finding_pair(), c = finding_race();
	struct store_findings f;

	c.access[0].function = "add";
	candidate_identify(&c);
	b.rung = RUNG_CONFIRMED;
	assert_int_equal(store_put_candidate(store, 0, &a, NULL), 0);
	assert_int_equal(store_put_candidate(store, 0, &b, NULL), 0);
	assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
	f = read_all(store, &arena);
	assert_string_equal(f.candidates[0].id, b.id);
	assert_string_equal(f.candidates[1].id, c.id);
	assert_string_equal(f.candidates[2].id, a.id);
	arena_free(&arena);
	store_close(store);
}

/* ---- killed, opened twice ------------------------------------------------------------------- */

static void write_until_killed(const struct candidate *c, uint64_t seed, int out)
{
	struct store *store = store_open(place("killed"), false);
	int64_t program, run;

	if (!store)
		_exit(1);
	for (run = begin(store, &program);; seed++) {
		struct store_trial t = { c->id, "pair", seed, "exit 0", false, true, 0, 1, seed };

		if (store_put_trial(store, run, program, &t) || write(out, "x", 1) != 1)
			_exit(1);
	}
}

/* A child that is killed in the middle of its work; every trial it reported is there once. */
static void kill_loses_nothing(void **state)
{
	struct candidate c = finding_race();
	struct arena arena = ARENA_INIT;

	for (int round = 0; round < 10; round++) {
		int pipes[2], reported = 0;
		char byte;
		pid_t pid;
		struct store *store;
		unsigned before;

		store = fresh("killed");
		assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
		before = read_all(store, &arena).candidates[0].trials;
		store_close(store);
		assert_int_equal(pipe(pipes), 0);
		pid = fork();
		if (!pid)
			write_until_killed(&c, (uint64_t)round << 32, pipes[1]);
		close(pipes[1]);
		while (reported < 20 + round * 7 && read(pipes[0], &byte, 1) == 1)
			reported++;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		while (read(pipes[0], &byte, 1) == 1)
			reported++;
		close(pipes[0]);
		store = fresh("killed");
		assert_in_range(read_all(store, &arena).candidates[0].trials - before, reported, reported + 1);
		store_close(store);
		arena_free(&arena);
	}
	if (!getenv("TEST_POSTGRESQL"))
		run_sql("killed", "PRAGMA integrity_check");
}

static void two_can_write_at_once(void **state)
{
	struct store *one = fresh("twice"), *two = fresh("twice");
	struct arena arena = ARENA_INIT;
	struct candidate a = finding_race(), b = finding_pair();
	int64_t program, run = begin(one, &program);
	struct store_trial t = { a.id, "pair", 1, "exit 0", false, true, 0, 1, 1 };
	bool is_new;

	assert_int_equal(store_put_candidate(one, 0, &a, NULL), 0);
	assert_int_equal(store_put_candidate(two, 0, &b, NULL), 0);
	assert_int_equal(store_put_candidate(two, 0, &a, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(store_put_trial(one, run, program, &t), 0);
	assert_int_equal(store_put_trial(two, run, program, &t), 0);
	assert_int_equal(read_all(two, &arena).candidate_count, 2);
	assert_int_equal(read_all(one, &arena).candidates[0].trials, 1);
	store_close(one);
	store_close(two);
	arena_free(&arena);
}

/* Eight processes make one store at the same moment and each adds its trials. */
static void many_processes_share_a_store(void **state)
{
	struct candidate c = finding_race();
	struct arena arena = ARENA_INIT;
	struct store *store;
	pid_t pids[8];

	place("shared");
	for (int i = 0; i < 8; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			int64_t program, run;

			store = store_open(place("shared"), true);
			if (!store || store_put_candidate(store, 0, &c, NULL))
				_exit(fprintf(stderr, "%s\n", error_message()) > 0);
			run = begin(store, &program);
			for (uint64_t k = 0; k < 25; k++) {
				struct store_trial t = { c.id, "pair", (uint64_t)i * 20 + k, "exit 0", false, true, 0, 1, 1 };

				if (store_put_trial(store, run, program, &t))
					_exit(fprintf(stderr, "%s\n", error_message()) > 0);
			}
			store_close(store);
			_exit(0);
		}
	}
	for (int i = 0; i < 8; i++) {
		int status;

		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
	store = fresh("shared");
	assert_int_equal(read_all(store, &arena).candidates[0].trials, 7 * 20 + 25); /* seeds overlap: once each */
	store_close(store);
	arena_free(&arena);
}

/* ---- refusals ----------------------------------------------------------------------------------- */

static void expect_refusal(const char *name, bool create, const char *words)
{
	assert_null(store_open(unit_path(name), create));
	assert_int_equal(error_status(), 3);
	if (!strstr(error_message(), words))
		fail_msg("wanted \"%s\" in: %s", words, error_message());
	assert_null(strchr(error_message(), '\n'));
}

static void a_missing_store_is_named(void **state)
{
	only_a_folder();
	expect_refusal("missing", false, "run deadheat detect or hunt first");
}

static void a_newer_store_is_refused(void **state)
{
	only_a_folder();
	store_close(fresh("newer"));
	run_sql("newer", "PRAGMA user_version = 99");
	expect_refusal("newer", true, "version 99, this deadheat knows up to 3");
}

static void an_older_store_is_brought_up_to_date(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store_findings findings;
	struct store *store;

	only_a_folder();
	store_close(fresh("older"));
	run_sql("older", "DROP TABLE lease; DROP TABLE worker; DROP TABLE target; DROP TABLE campaign; DROP TABLE schedule;"
			 "DROP INDEX run_origin; ALTER TABLE run DROP COLUMN origin;"
			 "ALTER TABLE finding ADD COLUMN suppressed TEXT; PRAGMA user_version = 1");
	store = store_open(unit_path("older"), false);
	assert_non_null(store);
	assert_int_equal(store_read(store, &arena, &findings), 0);
	store_close(store);
	run_sql("older", "ALTER TABLE finding ADD COLUMN suppressed TEXT"); /* fails if it were still there */
	arena_free(&arena);
}

static void other_files_are_refused(void **state)
{
	FILE *file;

	only_a_folder();
	store_close(fresh("junk"));
	unlink(unit_path("junk/store.db"));
	file = fopen(unit_path("junk/store.db"), "w");
	for (int i = 0; i < 1000; i++)
		fputs("this is no database\n", file);
	fclose(file);
	expect_refusal("junk", true, "is not a deadheat store");
	store_close(fresh("foreign"));
	unlink(unit_path("foreign/store.db"));
	run_sql("foreign", "CREATE TABLE mail (x); PRAGMA user_version = 1");
	expect_refusal("foreign", true, "is not a deadheat store");
	fclose(fopen(unit_path("file"), "w"));
	expect_refusal("file", true, "is not a folder");
	expect_refusal("no/such/folder", true, "cannot make the store");
	assert_null(store_open("mysql://host/db", true));
	assert_non_null(strstr(error_message(), "mysql://host/db"));
}

/* Root may write anywhere, so the read-only tests run as nobody. */
static int as_nobody(int (*body)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(99);
		_exit(body());
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int refuses_read_only(void)
{
	struct store *store = store_open(unit_path("readonly"), true);

	return store || error_status() != 3 || (!strstr(error_message(), "read-only") && !strstr(error_message(), "permission"));
}

static int reads_read_only(void)
{
	struct store *store = store_open(unit_path("readonly"), false);
	struct arena arena = ARENA_INIT;
	struct store_findings f;
	struct candidate c = finding_pair();

	if (!store || store_read(store, &arena, &f) || f.candidate_count != 1)
		return fprintf(stderr, "%s\n", error_message()), 1;
	if (!store_put_candidate(store, 0, &c, NULL))
		return 2;
	return strstr(error_message(), "it is read-only") ? 0 : 3;
}

static void a_read_only_store_can_be_read(void **state)
{
	struct store *store = fresh("readonly");
	struct candidate c = finding_race();

	only_a_folder();
	assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
	store_close(store);
	assert_int_equal(chmod(unit_folder, 0755), 0);
	assert_int_equal(chmod(unit_path("readonly"), 0555), 0);
	assert_int_equal(chmod(unit_path("readonly/store.db"), 0444), 0);
	assert_int_equal(as_nobody(refuses_read_only), 0);
	assert_int_equal(as_nobody(reads_read_only), 0);
}

static void a_locked_store_says_so(void **state)
{
	struct store *store = fresh("locked");
	struct candidate c = finding_race();
	sqlite3 *db;

	only_a_folder();
	assert_int_equal(sqlite3_open(unit_path("locked/store.db"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	store_set_patience(store, 50);
	assert_int_equal(store_put_candidate(store, 0, &c, NULL), -1);
	assert_non_null(strstr(error_message(), "locked by another process"));
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
	store_close(store);
}

static size_t fill(struct store *store)
{
	struct candidate c = finding_race();
	size_t done = 0;

	for (; done < 100000; done++) {
		snprintf(c.id, sizeof(c.id), "%016zx", done);
		if (store_put_candidate(store, 0, &c, NULL))
			break;
	}
	assert_in_range(done, 1, 99999);
	assert_int_equal(error_status(), 3);
	return done;
}

/* A small file system of our own, where we may mount one. */
static void a_full_disk_keeps_what_was_finished(void **state)
{
	struct arena arena = ARENA_INIT;
	struct store *store;
	size_t done;

	only_a_folder();
	store_close(fresh("disk"));
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", unit_path("disk"), "tmpfs", 0, "size=600k"))
		skip();
	store = fresh("disk");
	done = fill(store);
	assert_non_null(strstr(error_message(), "disk full while writing the store"));
	store_close(store);
	store = fresh("disk");
	assert_int_equal(read_all(store, &arena).candidate_count, done);
	store_close(store);
	assert_int_equal(umount(unit_path("disk")), 0);
	arena_free(&arena);
}

/* The same by the file size limit, which anyone may set; and when there is room again. */
static void a_full_quota_keeps_what_was_finished(void **state)
{
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	struct store *store = fresh("crowded");
	struct rlimit old, small = { 300000, RLIM_INFINITY };
	size_t done;

	only_a_folder();
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	done = fill(store);
	assert_non_null(strstr(error_message(), "make room and run again"));
	store_close(store);
	setrlimit(RLIMIT_FSIZE, &old);
	store = fresh("crowded");
	assert_int_equal(read_all(store, &arena).candidate_count, done);
	assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
	store_close(store);
	arena_free(&arena);
}

static void restore_whole(void)
{
	char command[256];

	snprintf(command, sizeof(command), "cd %s/damaged && { test -e whole || cp store.db whole; cp whole store.db; rm -f store.db-*; }",
		 unit_folder);
	assert_int_equal(system(command), 0);
}

/* Whatever a disk does to the file: a message or the findings, never a crash. */
static void a_damaged_store_says_so(void **state)
{
	struct arena arena = ARENA_INIT;
	struct candidate c = finding_race();
	struct store *store = fresh("damaged");
	struct stat about;
	unsigned refused = 0;

	only_a_folder();
	for (int i = 0; i < 50; i++) {
		snprintf(c.id, sizeof(c.id), "%016x", i);
		assert_int_equal(store_put_candidate(store, 0, &c, NULL), 0);
	}
	store_close(store);
	stat(unit_path("damaged/store.db"), &about);
	for (long at = 100; at < about.st_size; at += 1777) {
		struct store_findings f;
		FILE *file;

		restore_whole();
		file = fopen(unit_path("damaged/store.db"), "r+");
		fseek(file, at, SEEK_SET);
		for (int i = 0; i < 64; i++)
			fputc(i * 37 + 11, file);
		fclose(file);
		store = store_open(unit_path("damaged"), true);
		if (!store || store_read(store, &arena, &f) || store_put_candidate(store, 0, &c, NULL)) {
			assert_true(*error_message() && !strchr(error_message(), '\n'));
			refused++;
		}
		store_close(store);
		arena_free(&arena);
	}
	assert_in_range(refused, 5, 100);
}

static void the_folder_is_ignored_by_git(void **state)
{
	FILE *file;
	char line[64];

	only_a_folder();
	store_close(fresh("ignore"));
	file = fopen(unit_path("ignore/.gitignore"), "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "*\n");
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_candidate_comes_back_whole), cmocka_unit_test(odd_text_survives),
		cmocka_unit_test(deadlocks_and_failures_come_back), cmocka_unit_test(rungs_only_climb),
		cmocka_unit_test(the_example_with_stacks_wins), cmocka_unit_test(what_was_seen_wins_over_what_was_thought), cmocka_unit_test(places_unite_over_builds),
		cmocka_unit_test(sides_keep_their_order), cmocka_unit_test(trials_count_once),
		cmocka_unit_test(misses_confirm_nothing), cmocka_unit_test(a_hit_with_harm_is_harmful),
		cmocka_unit_test(a_bad_trial_undoes_its_transaction), cmocka_unit_test(a_program_comes_back),
		cmocka_unit_test(counters_add_up), cmocka_unit_test(a_witness_and_its_schedule_come_back),
		cmocka_unit_test(prefixes_resolve), cmocka_unit_test(findings_are_in_order),
		cmocka_unit_test(kill_loses_nothing), cmocka_unit_test(two_can_write_at_once),
		cmocka_unit_test(many_processes_share_a_store),
		cmocka_unit_test(a_missing_store_is_named), cmocka_unit_test(a_newer_store_is_refused), cmocka_unit_test(an_older_store_is_brought_up_to_date),
		cmocka_unit_test(other_files_are_refused), cmocka_unit_test(a_read_only_store_can_be_read),
		cmocka_unit_test(a_locked_store_says_so), cmocka_unit_test(a_full_disk_keeps_what_was_finished),
		cmocka_unit_test(a_full_quota_keeps_what_was_finished),
		cmocka_unit_test(a_damaged_store_says_so), cmocka_unit_test(the_folder_is_ignored_by_git),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, unit_clean);
}
