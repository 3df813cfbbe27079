/*
 * cmd_merge - stores joined into one, of either kind.
 *
 * It is export and import through a temporary file: one way to read a store and one to write
 * it, whatever the two engines are.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/transfer.h"
#include "store/transfer.h"

void transfer_say(const char *name, const struct transfer_count *count)
{
	cli_say("%s: %llu finding%s, %llu of them new; %llu trial%s, %llu of them new", name,
		(unsigned long long)count->findings, count->findings == 1 ? "" : "s", (unsigned long long)count->new_findings,
		(unsigned long long)count->trials, count->trials == 1 ? "" : "s", (unsigned long long)count->new_trials);
}

static int write_out(const char *from, FILE *file)
{
	struct store *store = store_open(from, false);
	int result = store ? store_export(store, file) : -1;

	store_close(store);
	return result;
}

static int merge(struct store *into, const char *from)
{
	FILE *file = tmpfile();
	struct transfer_count count;
	int result;

	if (!file)
		return error_cannot("cannot make a temporary file: %s", strerror(errno));
	result = write_out(from, file);
	rewind(file);
	if (!result)
		result = store_import(into, file, from, &count);
	if (!result)
		transfer_say(from, &count);
	fclose(file);
	return result;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct store *into;
	int result = 0;

	if (argc < 2) {
		error_usage("merge: which stores? deadheat merge FROM... INTO");
		return cli_fail();
	}
	for (int i = 0; i + 1 < argc && !result; i++)
		if (!strcmp(argv[i], argv[argc - 1]))
			result = error_usage("merge: %s into itself", argv[i]);
	into = result ? NULL : store_open(argv[argc - 1], true);
	if (!into)
		result = -1;
	for (int i = 0; i + 1 < argc && !result; i++)
		result = merge(into, argv[i]);
	store_close(into);
	return result ? cli_fail() : EXIT_CLEAN;
}

static struct option options[] = { OPTION_QUIET, OPTION_END };

const struct command command_merge = {
	.name = "merge",
	.arguments = "FROM... INTO",
	.summary = "join stores: everything in FROM comes into INTO",
	.text = "Each is a folder or a postgresql:// location; INTO is made if it is not there, FROM stays as it\n"
		"is. Findings merge by id, a trial that both have counts once, so merging again changes nothing.",
	.options = options,
	.run = run,
};
