/*
 * help - what -h, --help and `deadheat help` print, from the tables and nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/internal.h"

#define COLUMN 30 /* where the explanations start; the longest option with argument fits */

static void option_line(const struct option *option)
{
	char left[80];

	snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
		 option->letter ? "," : " ", option->name, option->argument ? " " : "",
		 option->argument ? option->argument : "");
	if (strlen(left) >= COLUMN)
		printf("%s\n%*s%s\n", left, COLUMN, "", option->help);
	else
		printf("%-*s%s\n", COLUMN, left, option->help);
	if (option->choices)
		printf("%*s(%s)\n", COLUMN, "", option->choices);
}

void command_help(const struct command *command)
{
	printf("usage: deadheat %s%s%s%s\n\n%s.\n", command->name, command->options ? " [OPTIONS]" : "",
	       *command->arguments ? " " : "", command->arguments, command->summary);
	if (command->text && *command->text)
		printf("\n%s\n", command->text);
	if (!command->options)
		return;
	printf("\nOptions:\n");
	for (const struct option *o = command->options; o->name; o++)
		option_line(o);
	printf("%-*s%s\n", COLUMN, "  -h, --help", "this text");
}

void help_overview(FILE *out)
{
	size_t count;
	const struct command *const *all = command_all(&count);

	fprintf(out, "usage: deadheat COMMAND [OPTIONS] ...\n"
		     "       deadheat PROG [ARG...]        (short for: deadheat hunt PROG [ARG...])\n\n"
		     "Finds data races in C and C++ programs and shows each one it reports.\n\nCommands:\n");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "  %-10s %s\n", all[i]->name, all[i]->summary);
	fprintf(out, "\n`deadheat help COMMAND` explains one. First steps:\n"
		     "  deadheat-cc -o prog prog.c && deadheat ./prog\n\n"
		     "Exit status: 0 nothing at or above --fail-on, 66 something, 2 usage,\n"
		     "3 cannot work here (the line says why), 1 a failure of deadheat itself.\n");
}
