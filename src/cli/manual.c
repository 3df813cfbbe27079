/*
 * manual - the man pages, in scdoc's language, from the same tables as -h:
 * `deadheat help --man [COMMAND] | scdoc`. make install does that for every command; c++
 * shares the page of cc (scdoc allows no + in a page's name).
 */
#include <stdio.h>
#include <string.h>

#include "cli/internal.h"

/* scdoc reads * and _ as markup and a backslash as its escape. */
static void escaped(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (strchr("*_\\[]#<>`+", text[i]))
			putchar('\\');
		putchar(text[i]);
	}
}

static void words(const char *text)
{
	escaped(text, strlen(text));
}

/* Paragraphs; lines that are indented stand as they are. */
static void paragraphs(const char *text)
{
	bool literal = false;

	while (*text) {
		size_t length = strcspn(text, "\n");
		bool indented = *text == ' ';

		if (indented != literal && (indented || length))
			puts("```");
		literal = indented || (literal && !length);
		if (literal)
			printf("%.*s", (int)length, text);
		else
			escaped(text, length);
		putchar('\n');
		text += length + (text[length] == '\n');
	}
	if (literal)
		puts("```");
}

static void option_entry(const struct option *option)
{
	if (option->letter)
		printf("*-%c*, ", option->letter);
	printf("*--%s*", option->name);
	if (option->argument) {
		printf(" _");
		words(option->argument);
		printf("_");
	}
	printf("\n\t");
	words(option->help);
	if (option->choices) {
		printf(": ");
		words(option->choices);
	}
	puts("\n");
}

static void exit_status(void)
{
	puts("# EXIT STATUS\n\n"
	     "0 nothing at or above --fail-on, 66 something, 2 usage, 3 cannot work here (the line\n"
	     "says why), 1 a failure of deadheat itself.\n");
}

void manual_command(const struct command *command)
{
	printf("deadheat-%s(1)\n\n# NAME\n\ndeadheat-%s - %s\n\n# SYNOPSIS\n\n*deadheat %s*%s ", command->name,
	       command->name, command->summary, command->name, command->options ? " [_OPTIONS_]" : "");
	words(command->arguments);
	printf("\n\n# DESCRIPTION\n\n");
	if (command->text)
		paragraphs(command->text);
	if (command->options) {
		printf("\n# OPTIONS\n\n");
		for (const struct option *o = command->options; o->name; o++)
			option_entry(o);
		exit_status();
	}
	puts("\n# SEE ALSO\n\n*deadheat*(1)");
}

void manual_overview(void)
{
	size_t count;
	const struct command *const *all = command_all(&count);

	puts("deadheat(1)\n\n# NAME\n\ndeadheat - find data races in C and C++ programs and show each one\n\n"
	     "# SYNOPSIS\n\n*deadheat* _COMMAND_ [_OPTIONS_] ...\n\n*deadheat* _PROG_ [_ARG_...]\n\n# COMMANDS\n");
	for (size_t i = 0; i < count; i++) {
		printf("*");
		words(all[i]->name);
		printf("*\n\t");
		words(all[i]->summary);
		puts("\n");
	}
	puts("# ENVIRONMENT\n\n*DEADHEAT\\_CC*\n\tthe compiler that deadheat-cc (and its C\\+\\+ sibling) stands for\n\n"
	     "*NO\\_COLOR*\n\tno colours\n");
	exit_status();
	puts("# SEE ALSO\n\n*deadheat-*_COMMAND_(1), *deadheat help* _COMMAND_");
}
