/*
 * cmd_fuzz - schedules by policy, no pair: crashes, aborts, deadlocks, hangs, with seed.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"
#include "cli/session.h"

static void say_result(const struct confirm_result *result)
{
	FILE *out = cli_lines();

	if (!out)
		return;
	if (result->hits)
		fprintf(out, "%u of %u schedule%s failed (policy %s, seeds %llu...): deadheat report tells, deadheat replay repeats\n",
		       result->hits, result->trials, result->trials == 1 ? "" : "s", trial_options.policy,
		       (unsigned long long)trial_options.seed);
	else
		fprintf(out, "no failure in %u schedule%s (policy %s, seeds %llu...)\n", result->trials,
		       result->trials == 1 ? "" : "s", trial_options.policy, (unsigned long long)trial_options.seed);
}

static int fuzz(struct session *session)
{
	struct confirm_result result;

	if (session->is_plain)
		cli_say("%s is not instrumented: threads switch at sync calls, and at accesses the store knows of", session->program.path);
	if (session_confirm(session) || confirm_fuzz(&session->confirm, &result))
		return cli_fail();
	say_result(&result);
	return result.hits ? EXIT_FOUND : EXIT_CLEAN;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct session session;
	int status;

	if (!strcmp(trial_options.policy, "pair")) /* the default of the table that all share */
		trial_options.policy = "mix";
	if (session_open(&session, "fuzz", argv, 0))
		status = cli_fail();
	else
		status = fuzz(&session);
	session_close(&session, status == EXIT_OWN_FAILURE ? "failed" : "exit 0");
	if ((status == EXIT_CLEAN || status == EXIT_FOUND) && cli_print_format(NULL, 0))
		return cli_fail();
	return status;
}

static struct option options[] = {
	OPTION_TRIALS("schedules to try (default 100)"), OPTION_SEED, OPTION_JOBS,
	OPTION_POLICY("mix|random|pct|pos|surw", "how to schedule (default mix: the others in turn)"), OPTION_DEPTH,
	OPTION_EXHAUST("go on after the first failure"), OPTION_TIMEOUT, OPTION_STEPS, OPTION_COMPARE,
	OPTION_SPURIOUS, OPTION_NO_PIN, OPTION_NO_SHRINK, OPTION_SHOW_OUTPUT, OPTION_STDIN, OPTION_FORMAT, OPTION_STORE,
	OPTION_QUIET, OPTION_END,
};

const struct command command_fuzz = {
	.name = "fuzz",
	.arguments = "[--] [PROG [ARG...]]",
	.summary = "try schedules without a pair: crashes, aborts, deadlocks, hangs",
	.text = "Many concurrency bugs are no data races: order, atomicity and deadlock bugs show only in how\n"
		"a run ends. Each trial is one schedule chosen by the policy: random walk, PCT (a bug of depth\n"
		"D with known probability), POS, SURW. An ending that the undisturbed run does not have is a\n"
		"failure, stored with its schedule. Exit status 66 if there was one. --format prints all findings of the store.",
	.options = options,
	.stops_at_program = true,
	.run = run,
};
