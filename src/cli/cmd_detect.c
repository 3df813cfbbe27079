/* cmd_detect - phase 1 alone: run the program, keep the pairs that may race. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"

static uint64_t runs = 5, seed = 1, timeout_ms;
static const char *rule = "hybrid", *schedule = "native", *sample;
static bool no_patch;
static int fail_on = RUNG_CONFIRMED;

static struct option options[] = {
	{ "runs", 'r', OPTION_NUMBER, &runs, "N", "run at most N times, until a run brings nothing new (default 5)",
	  NULL, 1, 1000000 },
	{ "rule", 0, OPTION_CHOICE, &rule, "RULE", "which accesses are unordered (default hybrid)", "hybrid|hb", 0, 0 },
	{ "schedule", 0, OPTION_CHOICE, &schedule, "HOW", "who runs when: as it comes, or by seed (default native)",
	  "native|random", 0, 0 },
	{ "sample", 0, OPTION_STRING, &sample, "WHAT", "look at a part only: pacer:R% or literace (default all)", NULL,
	  0, 0 },
	{ "seed", 's', OPTION_NUMBER, &seed, "S", "of every free choice (default 1)", NULL, 0, 0 },
	{ "timeout", 0, OPTION_DURATION, &timeout_ms, "TIME", "kill a run after 500ms, 10s, 2m, 1h (default never)",
	  NULL, 0, 0 },
	{ "no-patch", 0, OPTION_FLAG, &no_patch, NULL, "leave the program's code alone; slower", NULL, 0, 0 },
	{ "fail-on", 0, OPTION_RUNG, &fail_on, "RUNG",
	  "exit with 66 if a finding of this run is at or above (default confirmed)",
	  "claimed|suspected|caught|confirmed|harmful|never", 0, 0 },
	OPTION_FORMAT, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

static void say_next(const struct detecting *detecting, const struct program *program)
{
	const char *option = strcmp(cli_store, STORE_DEFAULT) ? " --store " : "";
	const char *location = *option ? cli_store_shown() : "";

	if (detecting->found && detecting->store && !detecting->store_failed)
		cli_say("next: deadheat confirm%s%s -- %s   (or: deadheat show%s%s ID)", option, location,
			program->argv[0], option, location);
}

static int open_store(struct detecting *detecting, const struct program *program)
{
	detecting->store = store_open(cli_store, true);
	if (detecting->store && !cli_put_program(detecting->store, program, &detecting->program_id))
		return 0;
	detecting->store_failed = true;
	return -1;
}

/* What was found is printed whatever happened; the first trouble decides the exit status. */
static int detect(struct detecting *detecting, int argc, char **argv)
{
	struct detect_options how = {
		.runs = (unsigned)runs, .seed = seed, .rule = rule, .schedule = schedule,
		.sample = sample, .timeout_ms = timeout_ms, .patch = !no_patch,
	};
	struct program program;
	int trouble = 0;

	if (cli_program(&program, detecting->arena, argc, argv) || detect_check(&how))
		return cli_fail();
	if (open_store(detecting, &program))
		trouble = cli_fail();
	if (detecting_run(detecting, &program, &how))
		trouble = cli_fail();
	else
		detecting_say(detecting, &program);
	if (detecting_print(detecting))
		trouble = cli_fail();
	if (trouble || detecting->store_failed)
		return trouble ? trouble : EXIT_OWN_FAILURE;
	say_next(detecting, &program);
	return detecting->found && fail_on <= RUNG_SUSPECTED ? EXIT_FOUND : EXIT_CLEAN;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arena arena = ARENA_INIT;
	struct detecting detecting = { .arena = &arena, .sym = sym_open() };
	int status = detect(&detecting, argc, argv);

	sym_close(detecting.sym);
	store_close(detecting.store);
	arena_free(&arena);
	return status;
}

const struct command command_detect = {
	.name = "detect",
	.arguments = "[--] PROG [ARG...]",
	.summary = "run the program and keep the pairs of accesses that may race",
	.text = "PROG keeps its own standard input, output and error. A pair is two accesses by different\n"
		"threads to the same bytes, at least one a write, not both atomic, without a common lock and\n"
		"not ordered by create, join, conditions, barriers, semaphores (rule hybrid) or by locks too\n"
		"(rule hb). What is found is `suspected` and goes into the store; confirm shows which pairs\n"
		"are races. What a crashed, killed or interrupted program had shown counts.",
	.options = options,
	.stops_at_program = true,
	.run = run,
};
