/* cmd_list - one line a finding. */
#include "base/error.h"
#include "cli/internal.h"

static struct option options[] = { OPTION_FORMAT, OPTION_SUPPRESSIONS, OPTION_STORE, OPTION_QUIET, OPTION_END };

static int run(const struct command *command, int argc, char **argv)
{
	struct reading reading;
	int result;

	if (argc) {
		error_usage("list: '%s': takes no arguments; `deadheat show ID` shows one finding", argv[0]);
		return cli_fail();
	}
	if (reading_open(&reading))
		return cli_fail();
	result = cli_print_list(&reading.report);
	reading_close(&reading);
	return result ? cli_fail() : EXIT_CLEAN;
}

const struct command command_list = {
	.name = "list",
	.arguments = "",
	.summary = "one line for each finding in the store",
	.text = "Highest rung first. The first column is the id that show, confirm and replay take; any\n"
		"unique beginning of it will do. With --format it is what report prints, without its gate.",
	.options = options,
	.run = run,
};
