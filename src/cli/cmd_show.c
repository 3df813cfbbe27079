/* cmd_show - findings in full, by id. */
#include <time.h>

#include "base/error.h"
#include "cli/internal.h"

static struct option options[] = { OPTION_SUPPRESSIONS, OPTION_STORE, OPTION_QUIET, OPTION_END };

/* "  confirmed   2026-11-15 20:31:12  confirm ./server -p 80 (build 0123456789ab)" */
static int print_history(struct reading *reading, const char *id)
{
	struct store_event *events;
	size_t count;

	if (store_history(reading->store, &reading->arena, id, &events, &count))
		return -1;
	printf("history\n");
	for (size_t i = 0; i < count; i++) {
		const struct store_event *e = &events[i];
		time_t at = (time_t)e->at;
		struct tm tm;
		char when[32];

		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&at, &tm));
		printf("  %-10s  %s%s%s%s%s", e->what, when, e->stage ? "  " : "", e->stage ? e->stage : "", e->command ? " " : "",
		       e->command ? e->command : "");
		printf(e->build_id && *e->build_id ? " (build %.12s)\n" : "\n", e->build_id);
	}
	return 0;
}

static int show(struct reading *reading, const char *prefix)
{
	char id[CANDIDATE_ID_SIZE];

	switch (store_resolve(reading->store, prefix, id)) {
	case 1:
		return report_show(&reading->report, stdout, id) || print_history(reading, id) ? -1 : 0;
	case 0:
		return error_usage("show: there is no finding '%s' in %s; `deadheat list` shows all", prefix, cli_store_shown());
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
	.text = "An ID is one of `deadheat list`, or a unique beginning of it. Last comes its history: when it was\n"
		"first and last seen and reached each rung, in which run of which build.",
	.options = options,
	.run = run,
};
