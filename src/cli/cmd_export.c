/* cmd_export - all of a store as JSON lines on stdout. */
#include <stdio.h>

#include "base/error.h"
#include "cli/cli.h"
#include "store/transfer.h"

static int run(const struct command *command, int argc, char **argv)
{
	struct store *store;
	int result;

	if (argc) {
		error_usage("export: '%s': takes no arguments; it writes to stdout", argv[0]);
		return cli_fail();
	}
	store = store_open(cli_store, false);
	result = store ? store_export(store, stdout) : -1;
	store_close(store);
	return result ? cli_fail() : EXIT_CLEAN;
}

static struct option options[] = { OPTION_STORE, OPTION_QUIET, OPTION_END };

const struct command command_export = {
	.name = "export",
	.arguments = "> FILE.jsonl",
	.summary = "all of a store as JSON lines",
	.text = "Programs, runs, findings with their history, trials and schedules, one JSON object a line\n"
		"(schema deadheat-store/1, docs/store.md), from a folder or a server. Suppressions and baseline\n"
		"are files of yours and stay where they are; campaigns are work orders, their results are here.",
	.options = options,
	.run = run,
};
