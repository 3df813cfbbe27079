/* cmd_baseline - remember what is known now, so that `report --new` can tell what came since. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"

static struct option options[] = { OPTION_STORE, OPTION_QUIET, OPTION_END };

static int save(struct reading *reading, const char *file)
{
	struct baseline all;
	const char *path = file ? file : baseline_default(&reading->arena);

	report_to_baseline(&reading->report, &all);
	if (baseline_write(&all, path))
		return -1;
	cli_say("%zu finding%s saved in %s", all.count, all.count == 1 ? "" : "s", path);
	return 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct reading reading;
	int result;

	if (argc < 1 || argc > 2 || strcmp(argv[0], "save")) {
		error_usage("baseline: what to do? deadheat baseline save [FILE]");
		return cli_fail();
	}
	cli_baseline = "";
	if (reading_open(&reading))
		return cli_fail();
	result = save(&reading, argv[1]);
	reading_close(&reading);
	return result ? cli_fail() : EXIT_CLEAN;
}

const struct command command_baseline = {
	.name = "baseline",
	.arguments = "save [FILE]",
	.summary = "remember what is known now; `report --new` then shows what came since",
	.text = "Writes the ids of all findings in the store into FILE (default .deadheat/baseline, in the store),\n"
		"sorted, one a line: keep it under version control. Reports name each finding new or known as soon as\n"
		"there is one; `deadheat report --new --fail-on confirmed` is the gate for CI.",
	.options = options,
	.run = run,
};
