/*
 * help - what -h, --help and `deadheat help` print, from the tables and nothing else.
 *
 * The tables hold text without thinking of terminals; here it is broken to the width there is,
 * 80 columns where there is none. Lines that begin with a blank (examples, lists) stay lines.
 */
#include <stdio.h>
#include <string.h>

#include "base/tty.h"
#include "cli/cli.h"
#include "cli/internal.h"

#define COLUMN 30 /* where the explanations start; the longest option with argument fits */
#define WIDEST 100 /* longer lines are hard to read */

static int width_of(FILE *out)
{
	int width = tty_width(out);

	return width > WIDEST ? WIDEST : width;
}

/* Words from `text` to `end`, the first line begun at `column`, the others after `indent` blanks. */
static int put_words(FILE *out, int column, int indent, const char *text, const char *end)
{
	int width = width_of(out), start = column;

	while (text < end) {
		int word = (int)strcspn(text, " \n");

		if (word > end - text)
			word = (int)(end - text);
		if (column > start && column + 1 + word > width) {
			fprintf(out, "\n%*s", indent, "");
			column = start = indent;
		}
		column += fprintf(out, "%s%.*s", column > start ? " " : "", word, text);
		text += word;
		text += strspn(text, " \n");
	}
	return column;
}

/* A line of a list: what is too long goes on below its last column. */
static void put_item(FILE *out, const char *line, const char *end)
{
	const char *gap = line + strspn(line, " "), *rest = gap;

	while (rest < end && !(rest[0] == ' ' && rest[1] == ' '))
		rest++;
	if (end - line <= width_of(out) || rest >= end) {
		fprintf(out, "%.*s\n", (int)(end - line), line);
		return;
	}
	rest += strspn(rest, " ");
	put_words(out, fprintf(out, "%.*s", (int)(rest - line), line), (int)(rest - line), rest, end);
	fputc('\n', out);
}

/* Where the paragraph ends: at an empty line, or before one that begins with a blank. */
static const char *paragraph_end(const char *text)
{
	for (; *text; text++)
		if (text[0] == '\n' && (text[1] == '\n' || text[1] == ' '))
			break;
	return text;
}

static void put_text(FILE *out, const char *text)
{
	while (*text) {
		const char *end = *text == ' ' ? text + strcspn(text, "\n") : paragraph_end(text);

		if (*text == ' ') {
			put_item(out, text, end);
		} else {
			put_words(out, 0, 0, text, end);
			fputc('\n', out);
		}
		text = *end ? end + 1 : end;
	}
}

static void option_line(const struct option *option)
{
	char left[80];

	snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
		 option->letter ? "," : " ", option->name, option->argument ? " " : "",
		 option->argument ? option->argument : "");
	if (strlen(left) >= COLUMN)
		printf("%s\n%*s", left, COLUMN, "");
	else
		printf("%-*s", COLUMN, left);
	put_words(stdout, COLUMN, COLUMN, option->help, option->help + strlen(option->help));
	putchar('\n');
	if (option->choices) {
		const char *words = option->choices;

		printf("%*s(", COLUMN, "");
		put_words(stdout, COLUMN + 1, COLUMN + 1, words, words + strlen(words));
		puts(")");
	}
}

void command_help(const struct command *command)
{
	const char *arguments = command->arguments;
	int column = printf("usage: deadheat %s%s%s", command->name, command->options ? " [OPTIONS]" : "", *arguments ? " " : "");

	put_words(stdout, column, 7, arguments, arguments + strlen(arguments));
	printf("\n\n");
	put_words(stdout, 0, 0, command->summary, command->summary + strlen(command->summary));
	puts(".");
	if (command->text && *command->text) {
		putchar('\n');
		put_text(stdout, command->text);
	}
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
	for (size_t i = 0; i < count; i++) {
		const char *summary = all[i]->summary;

		put_words(out, fprintf(out, "  %-10s ", all[i]->name), 13, summary, summary + strlen(summary));
		fputc('\n', out);
	}
	fprintf(out, "\n`deadheat help COMMAND` explains one. First steps:\n"
		     "  deadheat-cc -o prog prog.c && deadheat ./prog\n\n"
		     "Exit status: 0 nothing at or above --fail-on, 66 something, 2 usage,\n"
		     "3 cannot work here (the line says why), 1 a failure of deadheat itself.\n");
}
