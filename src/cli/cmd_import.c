/* cmd_import - what export wrote, merged into a store. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/transfer.h"
#include "store/transfer.h"

static int import_file(struct store *store, const char *name)
{
	bool standard = !strcmp(name, "-");
	FILE *in = standard ? stdin : fopen(name, "re");
	struct transfer_count count;
	int result;

	if (!in)
		return error_usage("cannot read %s: %s", name, strerror(errno));
	result = store_import(store, in, standard ? "stdin" : name, &count);
	if (!result)
		transfer_say(name, &count);
	if (!standard)
		fclose(in);
	return result;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct store *store;
	int result;

	if (!argc) {
		error_usage("import: which file? `deadheat export` writes one; - is stdin");
		return cli_fail();
	}
	store = store_open(cli_store, true);
	result = store ? 0 : -1;
	for (int i = 0; i < argc && !result; i++)
		result = import_file(store, argv[i]);
	store_close(store);
	return result ? cli_fail() : EXIT_CLEAN;
}

static struct option options[] = { OPTION_STORE, OPTION_QUIET, OPTION_END };

const struct command command_import = {
	.name = "import",
	.arguments = "FILE.jsonl...",
	.summary = "merge what `deadheat export` wrote into a store",
	.text = "Findings merge by id: rungs climb, finders and places unite, the earliest and latest times stay.\n"
		"A trial that is there already counts once, so the same file may be imported again. - is stdin.",
	.options = options,
	.run = run,
};
