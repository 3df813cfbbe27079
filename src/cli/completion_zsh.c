/* completion_zsh - the zsh completion, from the same tables as -h: `deadheat help --completion zsh`. */
#include <stdio.h>
#include <string.h>

#include "cli/internal.h"

/* Inside '...[here]': quotes, brackets and colons mean something to _arguments. */
static void print_escaped(const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
}

/* What may stand behind it: the words of a choice, a file, or anything. */
static void print_value(const struct option *option)
{
	printf(":%s:", option->argument);
	if (option->choices) {
		putchar('(');
		for (const char *c = option->choices; *c; c++)
			putchar(*c == '|' ? ' ' : *c);
		putchar(')');
	} else if (!strcmp(option->argument, "FILE") || !strncmp(option->argument, "PATH", 4)) {
		fputs("_files", stdout);
	}
}

static void print_option(const struct option *option)
{
	const char *equals = option->argument ? "=" : "";

	if (option->letter)
		printf(" \\\n\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter,
		       option->argument ? "+" : "", option->name, equals);
	else
		printf(" \\\n\t\t\t'--%s%s[", option->name, equals);
	print_escaped(option->help);
	putchar(']');
	if (option->argument)
		print_value(option);
	putchar('\'');
}

/* Behind the options: a program and its own words, or files. */
static void print_command_case(const struct command *command)
{
	printf("\t%s)\n\t\t_arguments -S '(- *)'{-h,--help}'[this text]'", command->name);
	for (const struct option *o = command->options; o->name; o++)
		print_option(o);
	puts(command->stops_at_program ? " \\\n\t\t\t'*:: :_normal' ;;" : " \\\n\t\t\t'*:: :_files' ;;");
}

static void print_command_line(const struct command *command)
{
	printf("\t\t'%s:", command->name);
	print_escaped(command->summary);
	puts("'");
}

void completion_zsh(void)
{
	size_t count;
	const struct command *const *all = command_all(&count);

	puts("#compdef deadheat\n"
	     "# zsh completion for deadheat; made by `deadheat help --completion zsh`\n"
	     "_deadheat() {\n"
	     "\tlocal -a commands=(");
	for (size_t i = 0; i < count; i++)
		print_command_line(all[i]);
	puts("\t\t'help:explain a command'\n"
	     "\t)\n"
	     "\tif (( CURRENT == 2 )); then\n"
	     "\t\t_describe command commands\n"
	     "\t\t_files\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tlocal command=$words[2]\n"
	     "\tshift words\n"
	     "\t(( CURRENT-- ))\n"
	     "\tcase $command in");
	for (size_t i = 0; i < count; i++)
		if (all[i]->options)
			print_command_case(all[i]);
	puts("\thelp) _describe command commands ;;\n"
	     "\t*) _normal ;;\n"
	     "\tesac\n"
	     "}\n"
	     "_deadheat \"$@\"");
}
