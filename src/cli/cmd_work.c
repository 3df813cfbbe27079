/* cmd_work - a worker: takes trials of campaigns from a shared store. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"
#include "cli/session.h"
#include "confirm/campaign.h"

static const char *name, *program;
static bool stay;

static void say_note(const char *line)
{
	cli_say("%s", line);
}

static int work(struct campaign_worker *worker)
{
	int result = campaign_work(worker);

	cli_say("%llu trial%s made", (unsigned long long)worker->trials, worker->trials == 1 ? "" : "s");
	if (result)
		return cli_fail();
	return worker->refused && !worker->trials ? EXIT_CANNOT : EXIT_CLEAN;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct campaign_worker worker = { .name = name, .program = program, .jobs = (unsigned)trial_options.jobs,
					  .stays = stay, .note = say_note };
	int status;

	if (argc) {
		error_usage("work: '%s': takes no arguments; the campaign has the program", argv[0]);
		return cli_fail();
	}
	worker.store = store_open(cli_store, false);
	if (!worker.store)
		return cli_fail();
	worker.sym = sym_open();
	status = work(&worker);
	sym_close(worker.sym);
	store_close(worker.store);
	return status;
}

static struct option options[] = {
	{ "campaign", 'c', OPTION_STRING, &name, "NAME", "only this one (default: all, those with the fewest workers first)", NULL, 0, 0 },
	{ "program", 0, OPTION_STRING, &program, "PATH", "where the campaign's program is on this machine (default: where it was)", NULL, 0, 0 },
	{ "stay", 0, OPTION_FLAG, &stay, NULL, "wait for new campaigns when nothing is left to do", NULL, 0, 0 },
	OPTION_JOBS, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

const struct command command_work = {
	.name = "work",
	.arguments = "--store PATH|URL",
	.summary = "make trials for the campaigns of a shared store",
	.text = "Takes trials that `deadheat confirm --campaign` has put into the store, makes them and puts\n"
		"their results there, until nothing is left to do. Any number of workers on any number of\n"
		"machines may do so at once; start them with whatever starts programs there (ssh, Slurm, a\n"
		"container): see docs/many-machines.md. A worker needs the same binary, known by its build-id,\n"
		"at the same path or where --program says, and nothing else. Stopped by Ctrl-C it gives its\n"
		"trials back at once, killed or unplugged it gives them back after a minute. A server that goes\n"
		"away is waited for, ten minutes at most.",
	.options = options,
	.run = run,
};
