/*
 * thousand - a store with a thousand findings, as a large program would leave it: each with
 * two stacks, a tally, and a schedule of a hundred steps that lie in this very program.
 *
 * The functions race_N and note_N come from a generated file (see html.t), so files, lines
 * and source are real and every format has to look them up.
 *
 *     thousand STORE
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "race/fingerprint.h"
#include "store/store.h"
#include "sym/sym.h"
#include "wire/plan.h"
#include "wire/schedule.h"

#define COUNT 1000
#define ROUNDS 16 /* of five steps and more */

extern void (*const race_functions[COUNT])(void), (*const note_functions[COUNT])(void);

static char program[4096], build_id[BUILD_ID_HEX_MAX];
static uint64_t base;

static int find_base(struct dl_phdr_info *info, size_t size, void *unused)
{
	base = info->dlpi_addr;
	return 1; /* the program is the first */
}

static struct place place_of(void (*function)(void))
{
	return (struct place){ build_id, program, (uint64_t)(uintptr_t)function - base + 4 };
}

static struct access make_access(struct sym *sym, struct arena *arena, void (*function)(void), unsigned flags, int thread)
{
	static const struct held_lock lock = { "table.lock", LOCK_WRITE };
	struct place *place = ARENA_NEW(arena, struct place);
	struct frame *frames, *stack = ARENA_ARRAY(arena, struct frame, 6);
	int first;

	*place = place_of(function);
	sym_frames(sym, arena, place, &frames, &first);
	for (int i = 0; i < 6; i++) {
		struct frame *caller;
		struct place at = place_of(note_functions[(thread * 7 + i * 3) % COUNT]);

		sym_frames(sym, arena, &at, &caller, NULL);
		stack[i] = i ? caller[0] : frames[0];
	}
	return (struct access){ .flags = flags, .size = 4, .function = frames[0].function, .file = frames[0].file,
				.line = frames[0].line, .column = frames[0].column, .ordinal = frames[0].line - first,
				.thread = arena_printf(arena, "T%d, created at funcs.c:3 in main", thread), .value = "0",
				.locks = &lock, .lock_count = flags & ACCESS_WRITE, .stack = stack, .stack_count = 6,
				.places = place, .place_count = 1 };
}

static void add_step(struct strbuf *steps, uint32_t thread, uint16_t kind, uint16_t op, uint32_t chosen, void (*at)(void))
{
	struct wire_step step = { .thread = thread, .kind = kind, .op = op, .chosen = chosen,
				  .pc = { 0, (uint32_t)(place_of(at).offset + 1) } };

	strbuf_add(steps, &step, sizeof(step));
}

static void make_schedule(struct strbuf *file, int n)
{
	struct schedule_file head = { .magic = SCHEDULE_MAGIC, .version = SCHEDULE_VERSION, .header_size = sizeof(head),
				      .module_count = 1, .site_count = 2 };
	struct wire_plan_module module = { 0 };
	struct wire_plan_site sites[2] = {
		{ 0, (uint32_t)place_of(race_functions[n]).offset + 1, WIRE_SIDE_A, ACCESS_WRITE },
		{ 0, (uint32_t)place_of(note_functions[n]).offset + 1, WIRE_SIDE_B, ACCESS_READ },
	};
	struct strbuf steps = STRBUF_INIT;

	for (int i = 0; i < ROUNDS; i++) {
		add_step(&steps, 0, STEP_TURN, OP_CREATE, 0, note_functions[(n + i) % COUNT]);
		add_step(&steps, 1, STEP_TURN, OP_LOCK, 1, race_functions[(n + 3 * i) % COUNT]);
		add_step(&steps, 1, STEP_TURN, OP_ACCESS, 1, race_functions[n]);
		add_step(&steps, 2, STEP_TURN, OP_ACCESS, 2, note_functions[n]);
		add_step(&steps, 2, STEP_HIT, OP_ACCESS, 1, note_functions[n]);
		add_step(&steps, i % 2 ? 1 : 2, STEP_ACCESS, OP_ACCESS, 0, i % 2 ? race_functions[n] : note_functions[n]);
		add_step(&steps, 1, STEP_TURN, OP_UNLOCK, 1, race_functions[(n + 5 * i) % COUNT]);
	}
	snprintf(module.build_id, sizeof(module.build_id), "%s", build_id);
	snprintf(module.path, sizeof(module.path), "%s", program);
	head.step_count = steps.len / sizeof(struct wire_step);
	strbuf_reset(file);
	strbuf_add(file, &head, sizeof(head));
	strbuf_add(file, steps.buf, steps.len);
	strbuf_add(file, &module, sizeof(module));
	strbuf_add(file, sites, sizeof(sites));
	strbuf_release(&steps);
}

static int put_finding(struct store *store, struct sym *sym, struct arena *arena, int64_t run, int64_t program_id, int n)
{
	struct candidate c = { .rung = RUNG_SUSPECTED, .found_by = FINDER_DETECT, .memory = "global of thousand" };
	struct witness witness = { .seed = (uint64_t)n, .policy = "pair", .steps = 7 * ROUNDS, .switches = 40, .outcome = "exit 0" };
	struct store_trial trials[20];
	struct strbuf schedule = STRBUF_INIT;
	int result;

	c.variable = arena_printf(arena, "table.slots[%d].len", n / 4);
	c.access[0] = make_access(sym, arena, race_functions[n], ACCESS_WRITE, 1);
	c.access[1] = make_access(sym, arena, note_functions[n], ACCESS_READ, 2);
	candidate_identify(&c);
	for (int i = 0; i < 20; i++)
		trials[i] = (struct store_trial){ c.id, "pair", (uint64_t)i, n % 5 == 0 && i % 4 == 0 ? "SIGSEGV" : "exit 0",
						  n % 5 == 0 && i % 4 == 0, n % 3 != 0, n % 3 ? i % 2 : -1, 112, 0 };
	result = store_put_candidate(store, run, &c, NULL) || store_put_trials(store, run, program_id, trials, 20);
	make_schedule(&schedule, n);
	if (!result && n % 3)
		result = store_put_witness(store, c.id, &witness, schedule.buf, schedule.len);
	strbuf_release(&schedule);
	return result;
}

int main(int argc, char **argv)
{
	struct store_program started = { .path = program, .build_id = build_id, .argv = argv, .envp = (char *[]){ NULL } };
	struct store *store = argc == 2 ? store_open(argv[1], true) : NULL;
	struct sym *sym = sym_open();
	struct arena arena = ARENA_INIT;
	int64_t run;
	int result = 0;

	if (!store || readlink("/proc/self/exe", program, sizeof(program) - 1) < 0 || sym_build_id(program, build_id))
		return 1;
	started.cwd = getcwd(NULL, 0);
	dl_iterate_phdr(find_base, NULL);
	result = store_put_program(store, &started) || store_begin_run(store, "hunt", started.id, &run);
	for (int n = 0; n < COUNT && !result; n++)
		result = put_finding(store, sym, &arena, run, started.id, n);
	if (result)
		fprintf(stderr, "thousand: %s\n", error_message());
	sym_close(sym);
	store_close(store);
	arena_free(&arena);
	return result ? 1 : 0;
}
