/* cmd_trap - look at a program in production, as it is: int3s, watchpoints, short stalls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"
#include "find/preload.h"
#include "find/trap/trap.h"
#include "wire/trap.h"

static const char *budget = "1%", *mode = "deadheat";
static uint64_t delay_ms, duration_ms, limit_ms = 15, stall_ms = 1, rate = 2000, seed = 1, pid;
static bool no_watch;
static int fail_on = RUNG_CONFIRMED;

static struct option options[] = {
	{ "budget", 'b', OPTION_STRING, &budget, "SHARE", "of the program's time that traps and stalls may take, 0.1% to 50% (default 1%)",
	  NULL, 0, 0 },
	{ "rate", 'r', OPTION_NUMBER, &rate, "N", "instructions that get their first trap, a second (default 2000)", NULL, 1, 1000000 },
	{ "mode", 'm', OPTION_CHOICE, &mode, "MODE",
	  "deadheat: watch, and stall to make sure; clock: never stall (CRSampler); collider: always stall (DataCollider)",
	  "deadheat|clock|collider", 0, 0 },
	{ "limit", 0, OPTION_DURATION, &limit_ms, "TIME", "a watch without a stall lasts this long (default 15ms)", NULL, 1, 1000 },
	{ "stall", 0, OPTION_DURATION, &stall_ms, "TIME", "how long a thread is stalled (default 1ms)", NULL, 1, 1000 },
	{ "delay", 0, OPTION_DURATION, &delay_ms, "TIME", "begin to look after this time", NULL, 0, 0 },
	{ "duration", 0, OPTION_DURATION, &duration_ms, "TIME", "look for this long (default: to the end)", NULL, 0, 0 },
	{ "no-watch", 0, OPTION_FLAG, &no_watch, NULL, "use no watchpoints: compare values around a stall", NULL, 0, 0 },
	{ "pid", 'p', OPTION_NUMBER, &pid, "PID", "look at a running process, and leave it as it was", NULL, 1, 0 },
	{ "seed", 's', OPTION_NUMBER, &seed, "S", "of the random order (default 1)", NULL, 0, 0 },
	{ "fail-on", 0, OPTION_RUNG, &fail_on, "RUNG",
	  "exit with 66 if a finding of this run is at or above (default confirmed)",
	  "claimed|suspected|caught|confirmed|harmful|never", 0, 0 },
	OPTION_FORMAT, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

static int read_options(struct trap_options *how)
{
	static const char *const modes[] = { [TRAP_DEADHEAT] = "deadheat", [TRAP_CLOCK] = "clock", [TRAP_COLLIDER] = "collider" };

	*how = (struct trap_options){
		.budget_ppm = cli_parse_share(budget), .rate = (unsigned)rate, .limit_us = limit_ms * 1000,
		.stall_us = stall_ms * 1000, .delay_ms = delay_ms, .duration_ms = duration_ms, .seed = seed,
		.no_watch = no_watch,
	};
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i], mode))
			how->mode = i;
	if (!how->budget_ppm)
		return error_usage("--budget %s: a share of CPU time from 0.1%% to 50%%", budget);
	return 0;
}

struct trapping {
	struct detecting *detecting;
	struct program program;
	struct trap_options options;
	struct trap_result result;
};

static int work(void *context, const struct find_sink *sink)
{
	struct trapping *t = context;
	struct detecting *d = t->detecting;
	int status = pid ? trap_attach((int)pid, &t->options, d->sym, sink, d->arena, &t->result) :
			   trap_run(&t->program, &t->options, d->sym, sink, d->arena, &t->result);

	d->result.ended = t->result.ended;
	return status;
}

static void say_result(const struct trapping *t)
{
	const struct trap_result *r = &t->result;

	cli_say("%s: %s; %llu memory instructions of %llu module%s, %llu traps hit, %llu stalls of %.1f s in all, %.1f s of our own, in %.1f s",
		t->program.argv ? t->program.argv[0] : "process", r->ended, (unsigned long long)r->sites, (unsigned long long)r->modules,
		r->modules == 1 ? "" : "s", (unsigned long long)r->hits, (unsigned long long)r->stalls,
		(double)r->stall_ms / 1000, (double)r->host_ms / 1000, (double)r->time_ms / 1000);
	if (r->without_watch)
		cli_say("no watchpoints (perf_event_open refused; deadheat doctor says why): values were compared around stalls instead, "
			"%llu changed; who changed them is not known", (unsigned long long)r->changed);
	cli_say("%zu pair%s caught, %zu suspected%s", r->caught, r->caught == 1 ? "" : "s", r->suspected,
		t->detecting->store && !t->detecting->store_failed ?
		arena_printf(t->detecting->arena, ", %zu new", t->detecting->fresh) : "");
}

static int open_program(struct trapping *t, int argc, char **argv)
{
	if (pid)
		return argc ? error_usage("--pid and a program: one of them") : 0;
	if (!argc)
		return error_usage("which program? Give its name, and its arguments behind it; or --pid");
	if (program_from_argv(&t->program, t->detecting->arena, argv))
		return -1;
	return preload_check(&t->program);
}

static bool reaches(const struct detecting *d)
{
	for (size_t i = 0; i < d->findings.candidate_count; i++)
		if ((int)d->findings.candidates[i].rung >= fail_on)
			return true;
	return false;
}

static int trap(struct trapping *t, int argc, char **argv)
{
	int trouble = 0;

	if (read_options(&t->options) || open_program(t, argc, argv))
		return cli_fail();
	if (detecting_open_store(t->detecting, &t->program))
		trouble = cli_fail();
	t->options.cache = arena_printf(t->detecting->arena, "%s/cache/sites", strstr(cli_store, "://") ? STORE_DEFAULT : cli_store);
	if (finding_run(t->detecting, "trap", work, t))
		trouble = cli_fail();
	else
		say_result(t);
	if (detecting_print(t->detecting))
		trouble = cli_fail();
	if (trouble || t->detecting->store_failed)
		return trouble ? trouble : EXIT_OWN_FAILURE;
	return reaches(t->detecting) ? EXIT_FOUND : EXIT_CLEAN;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arena arena = ARENA_INIT;
	struct detecting detecting = { .arena = &arena, .sym = sym_open(), .result.ended = "not started" };
	struct trapping t = { .detecting = &detecting };
	int status = trap(&t, argc, argv);

	sym_close(detecting.sym);
	store_close(detecting.store);
	arena_free(&arena);
	return status;
}

const struct command command_trap = {
	.name = "trap",
	.arguments = "[--] PROG [ARG...]",
	.summary = "catch threads of an unmodified program in the act: production",
	.text = "PROG is any dynamically linked 64-bit program, as it is; what it starts is looked at too. One\n"
		"instruction here and there gets a trap; the thread that comes by has the bytes it is about to\n"
		"touch watched, and is stalled for a moment if the budget allows. Another thread that touches\n"
		"them meanwhile is `caught`; one that does while the first, not stalled, has passed no lock or\n"
		"other synchronisation is `suspected`. Both go into the store; `deadheat confirm` then proves\n"
		"them on the same program. Code that is executed rarely keeps its trap until it is. When\n"
		"deadheat ends, nothing stays patched; PROG goes on.",
	.options = options,
	.stops_at_program = true,
	.run = run,
};
