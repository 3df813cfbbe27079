/* environment - DEADHEAT_* variables: which we know, and a word about the others. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/internal.h"

/* Names of DEADHEAT_* that something of ours reads. */
static const char *const known_variables[] = { "DEADHEAT_CC", "DEADHEAT_SCAN_CC", "DEADHEAT_WIRE" };

static void warn_of(const char *variable)
{
	struct nearest near = { 0 };
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(variable, "="), variable);
	near.word = name;
	for (size_t i = 0; i < sizeof(known_variables) / sizeof(known_variables[0]); i++) {
		if (!strcmp(known_variables[i], name))
			return;
		nearest_consider(&near, known_variables[i]);
	}
	if (near.best)
		cli_say("the variable %s means nothing to deadheat; did you mean %s?", name, near.best);
	else
		cli_say("the variable %s means nothing to deadheat", name);
}

void environment_warn(char **envp)
{
	for (; *envp; envp++)
		if (!strncmp(*envp, "DEADHEAT_", 9))
			warn_of(*envp);
}
