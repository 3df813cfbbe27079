/* cmd_sample - look at a program in production, as it is: samples, extended, under the hybrid rule. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"
#include "find/preload.h"
#include "find/sample/sample.h"

static const char *budget = "1%", *toggle, *keep_log, *from_log, *by_signal;
static uint64_t delay_ms, duration_ms, period_ms, seed = 1, pid;
static bool stopped, no_pmu, no_steps;
static int fail_on = RUNG_CONFIRMED;

static struct option options[] = {
	{ "budget", 'b', OPTION_STRING, &budget, "SHARE", "CPU time the samples may cost, 0.1% to 50% (default 1%)", NULL, 0, 0 },
	{ "period", 0, OPTION_DURATION, &period_ms, "TIME", "CPU time of a thread between samples, instead of a budget", NULL,
	  0, 0 },
	{ "delay", 0, OPTION_DURATION, &delay_ms, "TIME", "begin to look after this time", NULL, 0, 0 },
	{ "duration", 0, OPTION_DURATION, &duration_ms, "TIME", "look for this long (default: to the end)", NULL, 0, 0 },
	{ "stopped", 0, OPTION_FLAG, &stopped, NULL, "look only once deadheat_start() or the toggle signal says so", NULL, 0, 0 },
	{ "toggle", 0, OPTION_STRING, &toggle, "SIGNAL", "this signal to the program stops and starts looking (USR2)", NULL, 0, 0 },
	{ "signal", 0, OPTION_STRING, &by_signal, "SIGNAL", "the signal samples come by (default 61, a real-time one)", NULL, 0,
	  0 },
	{ "no-pmu", 0, OPTION_FLAG, &no_pmu, NULL, "use timers even where there is a performance counter", NULL, 0, 0 },
	{ "no-steps", 0, OPTION_FLAG, &no_steps, NULL, "samples only: no single steps after them, SIGTRAP is left alone", NULL, 0,
	  0 },
	{ "pid", 'p', OPTION_NUMBER, &pid, "PID", "look at a running process, and leave it as it was", NULL, 1, 0 },
	{ "log", 0, OPTION_STRING, &keep_log, "FILE", "keep the log of samples", NULL, 0, 0 },
	{ "from", 0, OPTION_STRING, &from_log, "FILE", "no program: read a kept log", NULL, 0, 0 },
	{ "seed", 's', OPTION_NUMBER, &seed, "S", "of the random periods (default 1)", NULL, 0, 0 },
	{ "fail-on", 0, OPTION_RUNG, &fail_on, "RUNG",
	  "exit with 66 if a finding of this run is at or above (default confirmed)",
	  "claimed|suspected|caught|confirmed|harmful|never", 0, 0 },
	OPTION_FORMAT, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

/* "USR2", "SIGUSR2", "12"; 0 if it is none. */
static int parse_signal(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (!*end)
		return number > 0 && number <= 64 ? (int)number : 0;
	if (!strncasecmp(text, "SIG", 3))
		text += 3;
	for (int i = 1; i < 32; i++)
		if (sigabbrev_np(i) && !strcasecmp(text, sigabbrev_np(i)))
			return i;
	return 0;
}

static int read_options(struct sample_options *how)
{
	*how = (struct sample_options){
		.budget_ppm = cli_parse_share(budget), .period_us = period_ms * 1000, .delay_ms = delay_ms,
		.duration_ms = duration_ms, .stopped = stopped, .no_pmu = no_pmu, .no_steps = no_steps, .seed = seed, .log = keep_log,
	};
	if (!how->budget_ppm)
		return error_usage("--budget %s: a share of CPU time from 0.1%% to 50%%", budget);
	if (toggle && !(how->toggle = parse_signal(toggle)))
		return error_usage("--toggle %s is no signal: give a name like USR2 or a number", toggle);
	if (by_signal && (how->signal = parse_signal(by_signal)) < 34)
		return error_usage("--signal %s: a real-time signal, 34 to 64", by_signal);
	if (how->toggle && how->toggle == how->signal)
		return error_usage("--toggle and --signal need different signals");
	return 0;
}

/* ---- the run ------------------------------------------------------------------------------------ */

struct sampling {
	struct detecting *detecting;
	struct program program;
	struct sample_options options;
	struct sample_result result;
};

static int work(void *context, const struct find_sink *sink)
{
	struct sampling *s = context;
	struct detecting *d = s->detecting;
	int status;

	if (from_log)
		status = sample_read(from_log, d->sym, sink, d->arena, &s->result);
	else if (pid)
		status = sample_attach((int)pid, &s->options, d->sym, sink, d->arena, &s->result);
	else
		status = sample_run(&s->program, &s->options, d->sym, sink, d->arena, &s->result);
	d->result.ended = s->result.ended;
	return status;
}

/* What the run was worth: how often it looked, what it cost, what it would have seen. */
static void say_result(const struct sampling *s)
{
	const struct sample_result *r = &s->result;
	double looks = sample_looks(r);

	cli_say("%s: %s; %llu samples (%s) and %llu steps of %llu process%s, %llu in readable code",
		from_log ? from_log : s->program.argv ? s->program.argv[0] : "process", r->ended, (unsigned long long)r->samples,
		r->sampler, (unsigned long long)r->steps, (unsigned long long)r->processes, r->processes == 1 ? "" : "es",
		(unsigned long long)r->placed);
	cli_say("%llu sampled accesses extended to %llu (%.1f times), %llu of them on shared bytes", (unsigned long long)r->plain,
		(unsigned long long)r->extended, r->plain ? (double)r->extended / (double)r->plain : 0.0,
		(unsigned long long)r->shared);
	if (r->cpu_ms)
		cli_say("samples took %.2f %% of %.1f s of CPU time", r->handler_share * 100, (double)r->cpu_ms / 1000);
	if (r->samples)
		cli_say("a race whose accesses are each 1 in 1,000 of all would have been seen with probability %.0f %%, 1 in 10,000: %.1f %%",
			sample_chance(looks, 1e-3, 1e-3) * 100, sample_chance(looks, 1e-4, 1e-4) * 100);
	cli_say("%zu pair%s suspected%s", s->detecting->findings.candidate_count,
		s->detecting->findings.candidate_count == 1 ? "" : "s",
		s->detecting->store && !s->detecting->store_failed ?
		arena_printf(s->detecting->arena, ", %zu of them new", s->detecting->fresh) : "");
}

static int open_program(struct sampling *s, int argc, char **argv)
{
	if (from_log || pid) {
		if (argc)
			return error_usage("%s and a program: one of them", from_log ? "--from" : "--pid");
		return 0;
	}
	if (!argc)
		return error_usage("which program? Give its name, and its arguments behind it; or --pid, or --from");
	if (program_from_argv(&s->program, s->detecting->arena, argv))
		return -1;
	return preload_check(&s->program);
}

static int sample(struct sampling *s, int argc, char **argv)
{
	int trouble = 0;

	if (read_options(&s->options) || open_program(s, argc, argv))
		return cli_fail();
	if (detecting_open_store(s->detecting, &s->program))
		trouble = cli_fail();
	if (finding_run(s->detecting, "sample", work, s))
		trouble = cli_fail();
	else
		say_result(s);
	if (detecting_print(s->detecting))
		trouble = cli_fail();
	if (trouble || s->detecting->store_failed)
		return trouble ? trouble : EXIT_OWN_FAILURE;
	return s->detecting->found && fail_on <= RUNG_SUSPECTED ? EXIT_FOUND : EXIT_CLEAN;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arena arena = ARENA_INIT;
	struct detecting detecting = { .arena = &arena, .sym = sym_open(), .result.ended = "not started" };
	struct sampling s = { .detecting = &detecting };
	int status = sample(&s, argc, argv);

	sym_close(detecting.sym);
	store_close(detecting.store);
	arena_free(&arena);
	return status;
}

const struct command command_sample = {
	.name = "sample",
	.arguments = "[--] PROG [ARG...]",
	.summary = "look at an unmodified program now and then: production",
	.text = "PROG is any dynamically linked 64-bit program, as it is; what it starts is looked at too. Its\n"
		"threads are interrupted now and then, by CPU time; registers, locks held and the order of\n"
		"threads (create, join, conditions, semaphores, barriers, once) of that instant are kept. From\n"
		"each sample the accesses around it are computed, and pairs of different threads on the same\n"
		"bytes, one a write, without a common lock and unordered are `suspected` and go into the store.\n"
		"Where there is debug information (also separate, by build-id, or from debuginfod) they are told\n"
		"by source line, with the ids `detect` gives them. PROG is not stopped when deadheat ends.\n"
		"Programs tell of locks and allocators of their own through deadheat.h.",
	.options = options,
	.stops_at_program = true,
	.run = run,
};
