/* commands - the list of commands, from commands.def. */
#include <string.h>

#include "cli/cli.h"

#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
};

const struct command *const *command_all(size_t *count)
{
	*count = sizeof(commands) / sizeof(commands[0]);
	return commands;
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}
