/* completion - the bash completion script, from the same tables as -h: `deadheat help --completion`. */
#include <stdio.h>
#include <string.h>

#include "cli/internal.h"

/* --rule hybrid: the words an option can take. */
static void choices(const struct command *command)
{
	for (const struct option *o = command->options; o->name; o++) {
		if (!o->choices)
			continue;
		printf("\t\"%s --%s\") words='", command->name, o->name);
		for (const char *c = o->choices; *c; c++)
			putchar(*c == '|' ? ' ' : *c);
		puts("' ;;");
	}
}

static void options(const struct command *command)
{
	printf("\t\"%s -\"*) words='--help", command->name);
	for (const struct option *o = command->options; o->name; o++)
		printf(" --%s", o->name);
	puts("' ;;");
}

void completion_print(void)
{
	size_t count;
	const struct command *const *all = command_all(&count);

	puts("# bash completion for deadheat; made by `deadheat help --completion`\n"
	     "_deadheat() {\n"
	     "\tlocal words= current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tcase \"${COMP_WORDS[1]} $last\" in");
	for (size_t i = 0; i < count; i++)
		if (all[i]->options)
			choices(all[i]);
	puts("\tesac\n\t[ -z \"$words\" ] && case \"${COMP_WORDS[1]} $current\" in");
	for (size_t i = 0; i < count; i++)
		if (all[i]->options)
			options(all[i]);
	printf("\tesac\n\t[ \"$COMP_CWORD\" = 1 ] && words='help");
	for (size_t i = 0; i < count; i++)
		printf(" %s", all[i]->name);
	puts("'\n"
	     "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	     "}\n"
	     "complete -o default -F _deadheat deadheat");
}
