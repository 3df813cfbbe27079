/*
 * detect - see detect.h. Runs are united until one brings nothing new that was not cut short by a
 * crash: a later run is told
 * the sites of the pairs so far, to take their stacks and to list their bytes in full.
 */
#include "find/detect/detect.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "find/detect/internal.h"

const struct detect_options detect_defaults = {
	.runs = 5,
	.seed = 1,
	.rule = "hybrid",
	.schedule = "native",
	.patch = true,
};

/* Room for some hundred thousand pairs with stacks; pages exist once they are written. */
#define LOG_SIZE ((size_t)128 << 20)
#define PLAN_SIZE ((size_t)512 << 10)
#define PLAN_SIZE_PLAIN ((size_t)16 << 20) /* a few hundred bytes for each of its instructions */

/* A file on stdin is read from the same place by every run; a pipe or terminal cannot be. */
struct rewind {
	bool possible;
	off_t offset;
};

static struct rewind rewind_remember(void)
{
	struct stat st;
	struct rewind at = { .possible = !fstat(0, &st) && S_ISREG(st.st_mode) };

	at.offset = at.possible ? lseek(0, 0, SEEK_CUR) : -1;
	return at;
}

static void rewind_apply(const struct rewind *at)
{
	if (at->possible && at->offset >= 0)
		lseek(0, at->offset, SEEK_SET);
}

static void note_end(const struct find_sink *sink, struct arena *arena, const struct launch *launch)
{
	if (launch->deadlocked)
		sink->note(sink->context, "it deadlocked by itself: all its threads wait for each other; ended");
	if (launch->timed_out)
		sink->note(sink->context, arena_printf(arena, "stopped after %llu ms (--timeout)",
						       (unsigned long long)launch->timeout_ms));
}

static int one_run(struct launch *launch, const struct detect_options *options, unsigned run, struct sym *sym,
		   struct drain *drain)
{
	bool explore = !strcmp(launch->runtime, "explore");
	struct wire_sizes sizes = { .plan = options->plain ? PLAN_SIZE_PLAIN : PLAN_SIZE, .log = LOG_SIZE };
	struct wire_host wire;
	int result;

	if (wire_open(&wire, explore ? WIRE_RT_EXPLORE : WIRE_RT_DETECT, &sizes))
		return -1;
	result = plan_write(&wire, launch->program, options, run, sym, drain);
	if (!result) {
		drain_begin(drain, &wire, sym);
		result = launch_run(launch, drain->arena, &wire, drain);
		if (drain_end(drain))
			result = -1;
	}
	if (!result)
		result = wire_check_claim(&wire, launch->program->argv[0]);
	wire_close(&wire);
	return result;
}

/* It may have died before it did what the other runs would have shown. */
static bool cut_short(const struct launch *launch)
{
	return WIFSIGNALED(launch->status) || launch->deadlocked;
}

int detect_run(const struct program *program, const struct detect_options *options, struct sym *sym,
	       const struct find_sink *sink, struct arena *arena, struct detect_result *result)
{
	struct drain drain = { .sink = sink, .arena = arena };
	struct rewind at = rewind_remember();
	const char *runtime = options->schedule && !strcmp(options->schedule, "random") ? "explore" : "detect";
	unsigned cut = 0;
	bool go_on = true;
	int status = 0;

	*result = (struct detect_result){ .ended = "not started" };
	if (detect_check(options))
		return -1;
	while (go_on && result->runs < options->runs) {
		struct launch launch = { .program = program, .runtime = runtime, .mute = options->mute, .timeout_ms = options->timeout_ms };

		rewind_apply(&at);
		status = one_run(&launch, options, result->runs, sym, &drain);
		if (status)
			break;
		result->runs++;
		result->exit_status = launch.status;
		result->ended = spawn_status_name(arena, launch.status);
		note_end(sink, arena, &launch);
		result->interrupted = launch.interrupted;
		cut += launch.timed_out;
		go_on = (options->all_runs || drain.fresh || cut_short(&launch)) && !launch.interrupted &&
			!(options->cut_runs && cut >= options->cut_runs);
		if (options->plain && launch.timed_out)
			go_on = false; /* it is too long for this: the others would be no shorter */
	}
	drain_finish(&drain);
	return status;
}
