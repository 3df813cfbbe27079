/* cmd_doctor - what will not work on this machine, and the line that mends it. */
#include <stdio.h>

#include "base/error.h"
#include "cli/doctor.h"
#include "cli/internal.h"

static struct option options[] = { OPTION_STORE, OPTION_QUIET, OPTION_END };

static enum health examine(const struct doctor_check *check)
{
	static const char *const words[] = { "ok", "less", "BAD" };
	struct arena arena = ARENA_INIT;
	struct diagnosis found = check->look(&arena);

	if (!cli_quiet || found.health != HEALTH_GOOD)
		printf("%-5s %-11s %s\n", words[found.health], check->name, found.text);
	if (found.mend)
		printf("      mend it:    %s\n", found.mend);
	fflush(stdout);
	arena_free(&arena);
	return found.health;
}

static int run(const struct command *command, int argc, char **argv)
{
	unsigned count[3] = { 0 };

	if (argc) {
		error_usage("doctor: '%s': takes no arguments", argv[0]);
		return cli_fail();
	}
	for (unsigned i = 0; i < doctor_check_count; i++)
		count[examine(&doctor_checks[i])]++;
	if (!cli_quiet)
		printf("%s\n", count[HEALTH_BAD]    ? "deadheat cannot work here as it is"
			       : count[HEALTH_LESS] ? "deadheat works here; see above for what is missing"
						    : "everything deadheat needs is here");
	return count[HEALTH_BAD] ? EXIT_CANNOT : EXIT_CLEAN;
}

const struct command command_doctor = {
	.name = "doctor",
	.arguments = "",
	.summary = "what will not work on this machine, and the line that mends it",
	.text = "Tries what deadheat needs, one line each: `ok`, `less` (a part will not work, or worse; the line says\n"
		"which) or `BAD`, and below it a line that mends it. At last a small program with a race is built and\n"
		"hunted. Exit status 3 if anything is BAD, else 0. --quiet prints only what is not ok.",
	.options = options,
	.run = run,
};
