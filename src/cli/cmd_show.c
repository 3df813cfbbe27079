/* cmd_show - findings in full, by id. */
#include <time.h>

#include "base/error.h"
#include "cli/internal.h"

static struct option options[] = { OPTION_FORMAT, OPTION_SUPPRESSIONS, OPTION_STORE, OPTION_QUIET, OPTION_END };

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

/* The whole id, in the report's arena; NULL: there is none, or more than one. */
static const char *whole_id(struct reading *reading, const char *prefix)
{
	char id[CANDIDATE_ID_SIZE];

	switch (store_resolve(reading->store, prefix, id)) {
	case 1:
		return arena_strdup(&reading->arena, id);
	case 0:
		error_usage("show: there is no finding '%s' in %s; `deadheat list` shows all", prefix, cli_store_shown());
		return NULL;
	default:
		return NULL;
	}
}

static int show(struct reading *reading, const char *id)
{
	return !id || report_show(&reading->report, stdout, id) || print_history(reading, id) ? -1 : 0;
}

static int show_formatted(struct reading *reading, int count, char **words)
{
	const char **ids = ARENA_ARRAY(&reading->arena, const char *, (size_t)count + 1);

	for (int i = 0; i < count; i++) {
		ids[i] = whole_id(reading, words[i]);
		if (!ids[i])
			return -1;
	}
	report_only(&reading->report, ids, (size_t)count);
	return report_format(cli_format)(&reading->report, stdout);
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
	if (cli_format)
		result = show_formatted(&reading, argc, argv);
	for (int i = 0; i < argc && !result && !cli_format; i++)
		result = show(&reading, whole_id(&reading, argv[i]));
	reading_close(&reading);
	return result ? cli_fail() : EXIT_CLEAN;
}

const struct command command_show = {
	.name = "show",
	.arguments = "ID...",
	.summary = "everything known about one finding",
	.text = "An ID is one of `deadheat list`, or a unique beginning of it. Last comes its history: when it was\n"
		"first and last seen and reached each rung, in which run of which build (not with --format).",
	.options = options,
	.run = run,
};
