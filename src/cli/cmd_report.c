/* cmd_report - all findings in a format for people or tools, and the gate for CI. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/internal.h"

static const char *format = "text";
static const char *output;
static int fail_on = RUNG_CONFIRMED;
static bool only_new;

static struct option options[] = {
	{ "format", 'f', OPTION_STRING, &format, "FORMAT", "text, json, sarif, junit, tsan, github or html (default text)",
	  NULL, 0, 0 },
	{ "output", 'o', OPTION_STRING, &output, "FILE", "write there instead of standard output", NULL, 0, 0 },
	{ "fail-on", 0, OPTION_RUNG, &fail_on, "RUNG",
	  "exit with 66 if anything is at or above this rung (default confirmed)",
	  "claimed|suspected|caught|confirmed|harmful|never", 0, 0 },
	{ "new", 'n', OPTION_FLAG, &only_new, NULL, "only what is not in the baseline", NULL, 0, 0 },
	OPTION_BASELINE, OPTION_SUPPRESSIONS, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

static int unknown_format(void)
{
	char word[64];
	const char *names = report_format_names();

	for (const char *at = names; *at; at += strspn(at, " ")) {
		struct nearest near = { .word = format };
		size_t length = strcspn(at, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		at += length;
		nearest_consider(&near, word);
		if (near.best)
			return error_usage("report: --format: '%s' is not one of %s; did you mean '%s'?", format, names,
					   word);
	}
	return error_usage("report: --format: '%s' is not one of %s", format, names);
}

static int print_to(report_printer *printer, const struct report *report)
{
	FILE *file;
	int result;

	if (!output)
		return printer(report, stdout);
	file = fopen(output, "w");
	if (!file)
		return error("report: --output: cannot write %s: %s", output, strerror(errno));
	result = printer(report, file);
	if (fclose(file) && !result)
		result = error("report: --output: cannot write %s: %s", output, strerror(errno));
	return result;
}

/* Without a baseline everything would be new: a gate that says so is better than one that trips. */
static int leave_out_known(struct reading *reading)
{
	size_t known;

	if (!reading->report.baseline)
		return error_cannot("report: --new: there is no baseline %s; `deadheat baseline save` makes one",
				    baseline_default(&reading->arena));
	known = report_only_new(&reading->report);
	if (known)
		cli_say("%zu finding%s of the baseline left out", known, known == 1 ? "" : "s");
	return 0;
}

static void say_absent(const struct report *report)
{
	if (report->absent_count)
		cli_say("%zu finding%s of the baseline not in this store any more", report->absent_count,
			report->absent_count == 1 ? "" : "s");
}

static int run(const struct command *command, int argc, char **argv)
{
	report_printer *printer = report_format(format);
	struct reading reading;
	int result;
	bool reached;

	if (argc) {
		error_usage("report: '%s': takes no arguments; `deadheat show ID` shows one finding", argv[0]);
		return cli_fail();
	}
	if (!printer) {
		unknown_format();
		return cli_fail();
	}
	if (reading_open(&reading))
		return cli_fail();
	say_absent(&reading.report);
	result = only_new ? leave_out_known(&reading) : 0;
	if (!result)
		result = print_to(printer, &reading.report);
	reached = report_reaches(&reading.report, (enum rung)fail_on);
	reading_close(&reading);
	if (result)
		return cli_fail();
	return reached ? EXIT_FOUND : EXIT_CLEAN;
}

const struct command command_report = {
	.name = "report",
	.arguments = "",
	.summary = "all findings in full, for people or tools; the gate for CI",
	.text = "The exit status is 66 when a finding has climbed to --fail-on or above, 0 otherwise. Nothing\n"
		"below `confirmed` is a race: it is a pair of accesses that may be one. Suppressed findings are\n"
		"shown, marked, but do not count. With --new, what `deadheat baseline save` has seen is left out:\n"
		"`report --new --fail-on confirmed` is the gate that only new races trip.",
	.options = options,
	.run = run,
};
