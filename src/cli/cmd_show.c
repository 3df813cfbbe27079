/* cmd_show - findings in full, by id. */
#include "base/error.h"
#include "cli/internal.h"

static struct option options[] = { OPTION_SUPPRESSIONS, OPTION_STORE, OPTION_QUIET, OPTION_END };

static int show(struct reading *reading, const char *prefix)
{
	char id[CANDIDATE_ID_SIZE];

	switch (store_resolve(reading->store, prefix, id)) {
	case 1:
		return report_show(&reading->report, stdout, id);
	case 0:
		return error_usage("show: there is no finding '%s' in %s; `deadheat list` shows all", prefix, cli_store);
	default:
		return -1;
	}
}

static int run(const struct command *command, int argc, char **argv)
{
	struct reading reading;
	int result = 0;

	if (!argc) {
		error_usage("show: which finding? `deadheat list` shows their ids");
		return cli_fail();
	}
	if (reading_open(&reading))
		return cli_fail();
	for (int i = 0; i < argc && !result; i++)
		result = show(&reading, argv[i]);
	reading_close(&reading);
	return result ? cli_fail() : EXIT_CLEAN;
}

const struct command command_show = {
	.name = "show",
	.arguments = "ID...",
	.summary = "everything known about one finding",
	.text = "An ID is one of `deadheat list`, or a unique beginning of it.",
	.options = options,
	.run = run,
};
