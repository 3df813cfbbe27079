/*
 * reading - what list, show and report begin with: the store, the report on it, what was
 * decided about it (suppressions) and what was known before (baseline).
 */
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"
#include "store/suppress.h"

const char *cli_format, *cli_suppressions, *cli_baseline;

const char *baseline_default(struct arena *arena)
{
	return arena_printf(arena, "%s/baseline", strstr(cli_store, "://") ? STORE_DEFAULT : cli_store);
}

int cli_use_suppressions(struct store *store)
{
	return cli_suppressions ? store_add_suppressions(store, cli_suppressions) : 0;
}

void cli_say_expired(const struct store *store)
{
	size_t count;
	const struct suppression *rules = store_suppressions(store, &count);

	for (size_t i = 0; i < count; i++)
		if (rules[i].expired && rules[i].matched)
			cli_say("%s:%d: the suppression of %s ended on %s, it counts again (%s)", rules[i].file, rules[i].line,
				rules[i].pattern, rules[i].until, rules[i].reason);
}

/* The one named must be there; the store's own may be. */
int cli_use_baseline(struct report *report)
{
	struct baseline baseline;
	const char *path = cli_baseline ? cli_baseline : baseline_default(report->arena);
	int found = *path ? baseline_read(&baseline, report->arena, path) : 0;

	if (found > 0)
		report_use_baseline(report, &baseline);
	if (!found && cli_baseline && *cli_baseline)
		return error_cannot("there is no baseline %s; `deadheat baseline save %s` makes one", path, path);
	return found < 0 ? -1 : 0;
}

int reading_open(struct reading *reading)
{
	*reading = (struct reading){ .arena = ARENA_INIT };
	reading->store = store_open(cli_store, false);
	if (!reading->store)
		return -1;
	reading->sym = sym_open();
	if (cli_use_suppressions(reading->store) ||
	    report_build(&reading->report, &reading->arena, reading->store, reading->sym) ||
	    cli_use_baseline(&reading->report)) {
		reading_close(reading);
		return -1;
	}
	reading->report.command = cli_command;
	cli_say_expired(reading->store);
	return 0;
}

void reading_close(struct reading *reading)
{
	sym_close(reading->sym);
	store_close(reading->store);
	arena_free(&reading->arena);
}

FILE *cli_lines(void)
{
	if (!cli_format)
		return stdout;
	return cli_quiet ? NULL : stderr;
}

int cli_print_list(const struct report *report)
{
	return cli_format ? report_format(cli_format)(report, stdout) : report_list(report, stdout);
}

int cli_print_format(const char *const *ids, size_t count)
{
	struct reading reading;
	int result;

	if (!cli_format)
		return 0;
	if (reading_open(&reading))
		return -1;
	if (ids)
		report_only(&reading.report, ids, count);
	result = report_format(cli_format)(&reading.report, stdout);
	reading_close(&reading);
	return result;
}
