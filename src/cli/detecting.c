/*
 * detecting - detect with the store behind the sink; shared by detect and hunt.
 *
 * I1  A store that fails on the way (disk full) does not stop the run: the message is said
 *     once, and the findings stay in memory to be printed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "cli/internal.h"
#include "wire/wire.h"

/* Findings gathered during a run; in the arena at its end. */
struct gathering {
	struct detecting *detecting;
	VEC(struct candidate) candidates;
	VEC(struct deadlock) deadlocks;
	VEC(struct counter) counters;
};
struct counter {
	const char *name;
	uint64_t value;
};

int cli_program(struct program *program, struct arena *arena, int argc, char **argv)
{
	if (!argc)
		return error_usage("which program? Give its name, and its arguments behind it");
	if (program_from_argv(program, arena, argv))
		return -1;
	return target_require_instrumented(program);
}

int cli_put_program(struct store *store, const struct program *program, int64_t *id)
{
	struct store_program row = {
		.path = program->path,
		.build_id = program->build_id,
		.cwd = program->cwd,
		.argv = program->argv,
		.envp = program->envp,
	};

	if (store_put_program(store, &row))
		return -1;
	*id = row.id;
	return 0;
}

/* Said once; from then on there is no store. */
static void store_lost(struct detecting *detecting)
{
	cli_fail();
	cli_say("findings are only printed from here on");
	detecting->store_failed = true;
}

static bool has_store(const struct detecting *detecting)
{
	return detecting->store && !detecting->store_failed;
}

static void gather_candidate(struct gathering *gathering, const struct candidate *candidate)
{
	for (size_t i = 0; i < gathering->candidates.count; i++)
		if (!strcmp(gathering->candidates.items[i].id, candidate->id)) {
			gathering->candidates.items[i] = *candidate;
			return;
		}
	VEC_PUSH(&gathering->candidates, *candidate);
	gathering->detecting->found++;
}

static int on_candidate(void *context, const struct candidate *candidate)
{
	struct gathering *gathering = context;
	struct detecting *detecting = gathering->detecting;
	bool is_new = false;

	gather_candidate(gathering, candidate);
	if (has_store(detecting) && store_put_candidate(detecting->store, detecting->run, candidate, &is_new))
		store_lost(detecting);
	detecting->fresh += is_new;
	return 0;
}

static int on_deadlock(void *context, const struct deadlock *deadlock)
{
	struct gathering *gathering = context;
	struct detecting *detecting = gathering->detecting;
	bool is_new = false;

	VEC_PUSH(&gathering->deadlocks, *deadlock);
	detecting->found++;
	if (has_store(detecting) && store_put_deadlock(detecting->store, detecting->run, deadlock, &is_new))
		store_lost(detecting);
	detecting->fresh += is_new;
	return 0;
}

static void on_counter(void *context, const char *name, uint64_t value)
{
	struct gathering *gathering = context;
	struct detecting *detecting = gathering->detecting;

	VEC_PUSH(&gathering->counters, (struct counter){ name, value });
	if (has_store(detecting) && store_put_counter(detecting->store, detecting->run, name, value))
		store_lost(detecting);
}

static void on_note(void *context, const char *line)
{
	cli_say("%s", line);
}

/* Everything gathered points into the arena already; the arrays follow. */
static void keep(struct gathering *gathering)
{
	struct detecting *detecting = gathering->detecting;
	struct store_findings *to = &detecting->findings;

	to->candidate_count = gathering->candidates.count;
	to->candidates = arena_copy(detecting->arena, gathering->candidates.items,
				    gathering->candidates.count * sizeof(struct candidate));
	to->deadlock_count = gathering->deadlocks.count;
	to->deadlocks = arena_copy(detecting->arena, gathering->deadlocks.items,
				   gathering->deadlocks.count * sizeof(struct deadlock));
	to->counter_count = gathering->counters.count;
	to->counters = arena_copy(detecting->arena, gathering->counters.items,
				  gathering->counters.count * sizeof(struct counter));
	VEC_FREE(&gathering->candidates);
	VEC_FREE(&gathering->deadlocks);
	VEC_FREE(&gathering->counters);
}

int finding_run(struct detecting *detecting, const char *stage, finding_work *work, void *context)
{
	struct gathering gathering = { .detecting = detecting };
	struct find_sink sink = {
		.candidate = on_candidate, .deadlock = on_deadlock,
		.counter = on_counter, .note = on_note, .context = &gathering,
	};
	int result;

	if (has_store(detecting) && store_begin_run(detecting->store, stage, detecting->program_id, &detecting->run))
		store_lost(detecting);
	result = work(context, &sink);
	keep(&gathering);
	if (has_store(detecting) && store_end_run(detecting->store, detecting->run, detecting->result.ended) && !result)
		store_lost(detecting);
	return result;
}

struct detect_work {
	struct detecting *detecting;
	const struct program *program;
	const struct detect_options *options;
};

static int work_detect(void *context, const struct find_sink *sink)
{
	struct detect_work *work = context;
	struct detecting *detecting = work->detecting;

	return detect_run(work->program, work->options, detecting->sym, sink, detecting->arena, &detecting->result);
}

int detecting_run(struct detecting *detecting, const struct program *program, const struct detect_options *options)
{
	struct detect_work work = { detecting, program, options };

	return finding_run(detecting, "detect", work_detect, &work);
}

/* What the user may have lost, by name: counters whose names speak of a loss. */
static bool is_loss(const char *name)
{
	static const char *const losses[] = {
		"lost_records", "lost_pairs", "granule_lists_refused", "lost_sites", "segment_resets", "lost_locks",
		"lost_threads", "lost_stacks", "lost_cycles", "shadow_refused", "lost_steps", "lost_visits", "unreadable_records",
		"unwatched_sites",
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (!strcmp(losses[i], name))
			return true;
	return false;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

void detecting_say(const struct detecting *detecting, const struct program *program)
{
	const struct detect_result *result = &detecting->result;
	const struct store_findings *found = &detecting->findings;

	cli_say("%s: %s after %u run%s; %zu pair%s suspected, %zu lock cycle%s%s", program->argv[0],
		result->ended, result->runs, plural(result->runs), found->candidate_count,
		plural(found->candidate_count), found->deadlock_count, plural(found->deadlock_count),
		has_store(detecting) ? arena_printf(detecting->arena, ", %zu of them new", detecting->fresh) : "");
	for (size_t i = 0; i < found->counter_count; i++)
		if (is_loss(found->counters[i].name))
			cli_say("lost on the way: %s %llu", found->counters[i].name,
				(unsigned long long)found->counters[i].value);
}

/* Findings of the store narrowed to those this run saw. */
static void narrow(const struct detecting *detecting, struct report *report)
{
	const struct store_findings *f = &detecting->findings;
	const char **ids = ARENA_ARRAY(detecting->arena, const char *, f->candidate_count + f->deadlock_count + 1);
	size_t count = 0;

	for (size_t i = 0; i < f->candidate_count; i++)
		ids[count++] = f->candidates[i].id;
	for (size_t i = 0; i < f->deadlock_count; i++)
		ids[count++] = f->deadlocks[i].id;
	report_only(report, ids, count);
}

/* From memory, in full: nothing else keeps them. */
static int print_all(const struct detecting *detecting)
{
	struct report report = {
		.verdict = VERDICT_UNDECIDED,
		.findings = detecting->findings,
		.store = cli_store_shown(),
		.sym = detecting->sym,
		.arena = detecting->arena,
	};

	return report_format(cli_format ? cli_format : "text")(&report, stdout);
}

int detecting_open_store(struct detecting *detecting, const struct program *program)
{
	detecting->store = store_open(cli_store, true);
	if (detecting->store && (!program->path || !cli_put_program(detecting->store, program, &detecting->program_id)))
		return 0;
	detecting->store_failed = true;
	return -1;
}

unsigned cli_parse_share(const char *text)
{
	char *end;
	double share = strtod(text, &end);

	if (*end == '%')
		end++;
	return *end || !(share >= 0.1) || share > 50 ? 0 : (unsigned)(share * 10000 + 0.5);
}

int detecting_print(const struct detecting *detecting)
{
	struct report report;

	if (!detecting->found && !cli_format)
		return 0;
	if (!has_store(detecting))
		return print_all(detecting);
	if (report_build(&report, detecting->arena, detecting->store, detecting->sym))
		return -1;
	report.command = cli_command;
	narrow(detecting, &report);
	return cli_print_list(&report);
}
