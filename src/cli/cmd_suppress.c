/* cmd_suppress - decide about a finding: it stays, marked with the reason, and counts for nothing. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"
#include "store/suppress.h"

static const char *because, *until;
static bool take_out;

static struct option options[] = {
	{ "because", 'b', OPTION_STRING, &because, "TEXT", "the reason, kept and shown beside the finding", NULL, 0, 0 },
	{ "until", 'u', OPTION_STRING, &until, "DATE", "the last day it holds, 2027-01-31 (default: for ever)", NULL, 0, 0 },
	{ "remove", 0, OPTION_FLAG, &take_out, NULL, "take the suppression back", NULL, 0, 0 },
	OPTION_STORE, OPTION_QUIET, OPTION_END,
};

static int check_options(int argc)
{
	if (!argc)
		return take_out || because || until ? error_usage("suppress: which finding? `deadheat list` shows their ids") : 0;
	if (take_out)
		return because || until ? error_usage("suppress: --remove takes neither --because nor --until") : 0;
	if (!because || !because[strspn(because, " \t")])
		return error_usage("suppress: --because TEXT is missing: whoever meets it next will want the reason");
	if (strpbrk(because, "\n\r"))
		return error_usage("suppress: --because: the reason must be one line");
	if (until && !is_date(until))
		return error_usage("suppress: --until: '%s' is no date; write it as 2027-01-31", until);
	if (until && date_is_over(until))
		return error_usage("suppress: --until: %s is over already", until);
	return 0;
}

static const char *title_of(const struct report *report, const char *id)
{
	struct baseline all;

	report_to_baseline(report, &all);
	for (size_t i = 0; i < all.count; i++)
		if (!strcmp(all.entries[i].id, id))
			return all.entries[i].title;
	return "not in this store";
}

static void print_rules(const struct reading *reading)
{
	size_t count;
	const struct suppression *rules = store_suppressions(reading->store, &count);

	for (size_t i = 0; i < count; i++) {
		bool is_id = !strcmp(rules[i].kind, "finding");

		printf("%s:%s", rules[i].kind, rules[i].pattern);
		if (rules[i].until)
			printf("  %s %s", rules[i].expired ? "EXPIRED" : "until", rules[i].until);
		if (is_id)
			printf("  %s\n    because %s\n", title_of(&reading->report, rules[i].pattern), rules[i].reason);
		else
			printf("  %zu finding%s\n", rules[i].matched, rules[i].matched == 1 ? "" : "s");
	}
}

/* An id whose finding is not in this store can still be taken out, in full. */
static int resolve(struct reading *reading, const char *word, char id[CANDIDATE_ID_SIZE])
{
	int found = store_resolve(reading->store, word, id);

	if (found)
		return found < 0 ? -1 : 0;
	if (take_out && strlen(word) == CANDIDATE_ID_SIZE - 1) {
		strcpy(id, word);
		return 0;
	}
	return error_usage("suppress: there is no finding '%s' in %s; `deadheat list` shows all", word, cli_store_shown());
}

static int decide(struct reading *reading, const char *word)
{
	char id[CANDIDATE_ID_SIZE];
	const char *path = store_suppressions_path(reading->store, &reading->arena);
	int before;

	if (resolve(reading, word, id))
		return -1;
	if (!take_out) {
		if (store_suppress(reading->store, id, because, until))
			return -1;
		cli_say("%s suppressed in %s: %s", id, path, title_of(&reading->report, id));
		return 0;
	}
	before = store_unsuppress(reading->store, id);
	if (!before)
		return error_usage("suppress: %s has no suppression of its own in %s", id, path);
	if (before > 0)
		cli_say("%s counts again", id);
	return before < 0 ? -1 : 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct reading reading;
	int result = 0;

	if (check_options(argc) || reading_open(&reading))
		return cli_fail();
	if (!argc)
		print_rules(&reading);
	for (int i = 0; i < argc && !result; i++)
		result = decide(&reading, argv[i]);
	reading_close(&reading);
	return result ? cli_fail() : EXIT_CLEAN;
}

const struct command command_suppress = {
	.name = "suppress",
	.arguments = "[ID...]",
	.summary = "decide about findings: they stay, marked with the reason, and count for nothing",
	.text = "Writes a line into the file `suppressions` of the store (.deadheat/suppressions), which belongs\n"
		"under version control. Reports still show the finding, marked; --fail-on does not see it; hunt\n"
		"and confirm without an ID make no trials for it. After --until it counts again, and reports say\n"
		"so. Without an ID, lists what is suppressed. Lines of ThreadSanitizer's suppression files (race:,\n"
		"race_top:, deadlock:, called_from_lib:, mutex:, thread:, signal:) may stand in the same file.",
	.options = options,
	.run = run,
};
