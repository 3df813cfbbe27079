/*
 * report_fixture - a store with the findings of findings.h and a schedule, the report on it,
 * and what a printer makes of it; for all tests of report.
 */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include "unit.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "findings.h"
#include "report/report.h"
#include "wire/plan.h"
#include "wire/schedule.h"

static const char source_text[] = "int counter;\n\n\n\n\n\n\n\n\nstatic void inc(int n)\n{\n\tfor (int i = 0; i < n; i++) "
				  "counter++; /* a line that is much longer than eighty columns and is cut */\n}\n";

struct fixture {
	struct store *store;
	struct arena arena;
	struct report report;
};

/* T1 is at side a (inc), T0 at side b (flush), where it is an access. */
static inline struct wire_step step(uint32_t thread, uint16_t kind, uint16_t op, uint32_t chosen)
{
	struct wire_pc site = { 0, thread ? 0x1235 : 0x2346 }, nowhere = { WIRE_NO_MODULE, 0 };

	return (struct wire_step){ .thread = thread, .kind = kind, .op = op, .chosen = chosen,
				   .pc = op == OP_ACCESS ? site : nowhere };
}

static inline void put_schedule(struct strbuf *out)
{
	const struct wire_step steps[] = {
		step(0, STEP_TURN, OP_NONE, 0), step(0, STEP_TURN, OP_CREATE, 0), step(0, STEP_TURN, OP_LOCK, 0),
		step(0, STEP_TURN, OP_UNLOCK, 0), step(0, STEP_TURN, OP_ACCESS, 0), step(1, STEP_TURN, OP_NONE, 1),
		step(1, STEP_TURN, OP_ACCESS, 1), step(1, STEP_HIT, OP_ACCESS, 0), step(1, STEP_CHOICE, OP_RESOLVE, 0),
		step(0, STEP_ACCESS, OP_ACCESS, 0), step(1, STEP_ACCESS, OP_ACCESS, 0), step(1, STEP_TURN, OP_EXIT, 1),
		step(0, STEP_TURN, OP_JOIN, 0),
	};
	const struct wire_plan_module module = { .build_id = BUILD, .path = "/w/counter" };
	const struct wire_plan_site sites[] = { { 0, 0x1235, WIRE_SIDE_A, ACCESS_WRITE }, { 0, 0x2346, WIRE_SIDE_B, ACCESS_READ } };
	struct schedule_file head = { .magic = SCHEDULE_MAGIC, .version = SCHEDULE_VERSION, .header_size = sizeof(head),
				      .step_count = sizeof(steps) / sizeof(steps[0]), .module_count = 1, .site_count = 2, .outcome = "SIGABRT" };

	strbuf_add(out, &head, sizeof(head));
	strbuf_add(out, steps, sizeof(steps));
	strbuf_add(out, &module, sizeof(module));
	strbuf_add(out, sites, sizeof(sites));
}

static inline void put_trials(struct store *store, int64_t run, int64_t program, const char *id)
{
	for (uint64_t seed = 0; seed < 10; seed++) {
		bool hit = seed < 9, bad = hit && seed % 2;
		struct store_trial t = { id, "pair", seed, bad ? "SIGABRT" : "exit 0", bad, hit, hit ? (int)(seed % 2) : -1,
					 100, seed };

		assert_int_equal(store_put_trial(store, run, program, &t), 0);
	}
}

static inline void put_findings(struct store *store)
{
	struct store_program program = { .path = "/w/counter", .build_id = BUILD, .cwd = "/w",
					 .argv = (char *[]){ "counter", NULL }, .envp = (char *[]){ NULL } };
	struct witness w = { .seed = 1, .policy = "pair", .steps = 13, .switches = 4, .outcome = "SIGABRT" };
	struct strbuf schedule = STRBUF_INIT;
	struct deadlock_edge edges[2];
	struct candidate race = finding_race(), pair = finding_pair();
	struct deadlock real = finding_deadlock(edges, true), maybe;
	struct failure failure = finding_failure();
	int64_t run;

	put_schedule(&schedule);
	assert_int_equal(store_put_program(store, &program), 0);
	assert_int_equal(store_begin_run(store, "hunt", program.id, &run), 0);
	assert_int_equal(store_put_candidate(store, run, &race, NULL), 0);
	assert_int_equal(store_put_candidate(store, run, &pair, NULL), 0);
	put_trials(store, run, program.id, race.id);
	assert_int_equal(store_put_witness(store, race.id, &w, schedule.buf, schedule.len), 0);
	assert_int_equal(store_put_deadlock(store, run, &real, NULL), 0);
	maybe = finding_deadlock(edges, false);
	strcpy(maybe.id, "00000000000000aa");
	assert_int_equal(store_put_deadlock(store, run, &maybe, NULL), 0);
	assert_int_equal(store_put_failure(store, run, &failure, NULL), 0);
	assert_int_equal(store_put_counter(store, run, "lost_pairs", 3), 0);
	assert_int_equal(store_put_counter(store, run, "lost_stacks", 0), 0);
	assert_int_equal(store_put_counter(store, run, "threads", 4), 0);
	strbuf_release(&schedule);
}

/* The store is named as the default, so that the golden files hold no temporary path. */
static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	FILE *file;

	assert_int_equal(chdir(unit_path("")), 0);
	assert_int_equal(system("rm -rf .deadheat"), 0);
	file = fopen("counter.c", "w");
	fputs(source_text, file);
	fclose(file);
	f->store = store_open(STORE_DEFAULT, true);
	assert_non_null(f->store);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	sym_close(f->report.sym);
	store_close(f->store);
	arena_free(&f->arena);
	free(f);
	return 0;
}

static inline void build(struct fixture *f)
{
	if (!f->report.sym)
		f->report.sym = sym_open();
	if (report_build(&f->report, &f->arena, f->store, f->report.sym))
		fail_msg("%s", error_message());
}

__attribute__((noinline, unused)) static char *print(struct fixture *f, report_printer *printer)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(printer(&f->report, out), 0);
	fclose(out);
	return text;
}

#endif
