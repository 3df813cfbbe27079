/*
 * options - argv against a command's table; see cli.h.
 *
 * --name value, --name=value, -n value, -nvalue; flags take no value; -- ends the options.
 * A value is checked by its type before it is stored, and every message names the option
 * as it was typed. Names are never abbreviated silently: a script must not change its
 * meaning when an option is added.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "race/verdict.h"

/* One run over argv. */
struct parse {
	const struct command *command;
	char **argv;
	int argc;
	int next;  /* to look at */
	int kept;  /* left-over arguments so far, moved to the front */
};

static int bad_value(const char *typed, const char *value, const char *wanted)
{
	return error_usage("%s: '%s' is not %s", typed, value, wanted);
}

static int set_number(const struct option *option, const char *typed, const char *value)
{
	uint64_t number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, !strncmp(value, "0x", 2) ? 16 : 10);
	if (!isdigit((unsigned char)*value) || *end)
		return bad_value(typed, value, "a number");
	if (errno || number < option->min || (option->max && number > option->max)) {
		if (option->max)
			return error_usage("%s: %s is out of range (%llu to %llu)", typed, value,
					   (unsigned long long)option->min, (unsigned long long)option->max);
		return error_usage("%s: %s is out of range (at least %llu)", typed, value,
				   (unsigned long long)option->min);
	}
	*(uint64_t *)option->value = number;
	return 0;
}

static int set_duration(const struct option *option, const char *typed, const char *value)
{
	static const struct { const char *unit; uint64_t ms; } units[] = {
		{ "ms", 1 }, { "s", 1000 }, { "", 1000 }, { "m", 60000 }, { "h", 3600000 },
	};
	char *end;
	uint64_t number;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || errno || number > UINT64_MAX / 3600000)
		return bad_value(typed, value, "a duration such as 500ms, 10s, 2m or 1h");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit)) {
			*(uint64_t *)option->value = number * units[i].ms;
			return 0;
		}
	return bad_value(typed, value, "a duration such as 500ms, 10s, 2m or 1h");
}

/* One word of "a|b|c" after another; NULL at the end. */
static const char *next_choice(const char **rest, char *word, size_t size)
{
	size_t length = strcspn(*rest, "|");

	if (!**rest)
		return NULL;
	snprintf(word, size, "%.*s", (int)length, *rest);
	*rest += length + ((*rest)[length] == '|');
	return word;
}

static int choice_error(const char *choices, const char *typed, const char *value)
{
	char word[64], best[64] = "", all[512] = "";
	unsigned distance = ~0u;

	for (const char *rest = choices; next_choice(&rest, word, sizeof(word));) {
		struct nearest near = { .word = value };

		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? ", " : "", word);
		nearest_consider(&near, word);
		if (near.best && near.distance < distance) {
			distance = near.distance;
			memcpy(best, word, sizeof(best));
		}
	}
	if (*best)
		return error_usage("%s: '%s' is not one of %s; did you mean '%s'?", typed, value, all, best);
	return error_usage("%s: '%s' is not one of %s", typed, value, all);
}

static int set_choice(const struct option *option, const char *typed, const char *value)
{
	char word[64];

	for (const char *rest = option->choices; next_choice(&rest, word, sizeof(word));)
		if (!strcmp(word, value)) {
			*(const char **)option->value = value;
			return 0;
		}
	return choice_error(option->choices, typed, value);
}

static int set_rung(const struct option *option, const char *typed, const char *value)
{
	int rung = strcmp(value, "never") ? rung_parse(value) : RUNG_COUNT;

	if (rung < 0)
		return choice_error("claimed|suspected|caught|confirmed|harmful|never", typed, value);
	*(int *)option->value = rung;
	return 0;
}

static int add_to_list(const struct option *option, const char *typed, const char *value)
{
	struct option_list *list = option->value;

	if (list->count == OPTION_LIST_MAX)
		return error_usage("%s: more than %d of them", typed, OPTION_LIST_MAX);
	list->items[list->count++] = value;
	return 0;
}

static int set_value(const struct option *option, const char *typed, const char *value)
{
	if (!*value)
		return error_usage("%s: the value is empty", typed);
	switch (option->type) {
	case OPTION_STRING:
		*(const char **)option->value = value;
		return 0;
	case OPTION_NUMBER:
		return set_number(option, typed, value);
	case OPTION_DURATION:
		return set_duration(option, typed, value);
	case OPTION_CHOICE:
		return set_choice(option, typed, value);
	case OPTION_RUNG:
		return set_rung(option, typed, value);
	case OPTION_LIST:
		return add_to_list(option, typed, value);
	case OPTION_FLAG:
		break;
	}
	BUG("option %s has no type", option->name);
}

static int unknown_option(const struct parse *parse, const char *typed, const char *name)
{
	struct nearest near = { .word = name };

	for (const struct option *o = parse->command->options; o->name; o++)
		nearest_consider(&near, o->name);
	nearest_consider(&near, "help");
	if (near.best)
		return error_usage("%s: unknown option; did you mean --%s?", typed, near.best);
	return error_usage("%s: unknown option; `deadheat help %s` lists them", typed, parse->command->name);
}

/* value: what stood behind = or the letter, NULL if nothing did. */
static int take_option(struct parse *parse, const struct option *option, const char *typed, const char *value)
{
	if (option->type == OPTION_FLAG) {
		if (value)
			return error_usage("%s: takes no value", typed);
		*(bool *)option->value = true;
		return 0;
	}
	if (!value && parse->next < parse->argc)
		value = parse->argv[parse->next++];
	if (!value)
		return error_usage("%s: needs a value (%s)", typed, option->argument);
	return set_value(option, typed, value);
}

static int parse_long(struct parse *parse, const char *word)
{
	char name[64], typed[80];
	const char *equals = strchr(word, '=');

	snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - word - 2) : (int)strlen(word) - 2, word + 2);
	snprintf(typed, sizeof(typed), "--%s", name);
	if (!strcmp(name, "help"))
		return 1;
	for (const struct option *o = parse->command->options; o->name; o++)
		if (!strcmp(o->name, name))
			return take_option(parse, o, typed, equals ? equals + 1 : NULL);
	return unknown_option(parse, typed, name);
}

/* -q, -qv (flags together), -j4, -j 4 */
static int parse_letters(struct parse *parse, const char *word)
{
	for (word++; *word; word++) {
		const struct option *o = parse->command->options;
		char typed[3] = { '-', *word, 0 };

		if (*word == 'h')
			return 1;
		while (o->name && o->letter != *word)
			o++;
		if (!o->name)
			return error_usage("%s: unknown option; `deadheat help %s` lists them", typed,
					   parse->command->name);
		if (o->type != OPTION_FLAG)
			return take_option(parse, o, typed, word[1] ? word + 1 : NULL);
		*(bool *)o->value = true;
	}
	return 0;
}

static void keep_rest(struct parse *parse)
{
	while (parse->next < parse->argc)
		parse->argv[parse->kept++] = parse->argv[parse->next++];
}

static int parse_all(struct parse *parse)
{
	int result = 0;

	while (!result && parse->next < parse->argc) {
		char *word = parse->argv[parse->next++];

		if (!strcmp(word, "--")) {
			if (parse->command->keeps_dashes)
				parse->argv[parse->kept++] = word;
			keep_rest(parse);
		} else if (!strncmp(word, "--", 2)) {
			result = parse_long(parse, word);
		} else if (*word == '-' && word[1]) {
			result = parse_letters(parse, word);
		} else {
			parse->argv[parse->kept++] = word;
			if (parse->command->stops_at_program)
				keep_rest(parse);
		}
	}
	return result;
}

int options_parse(const struct command *command, int *argc, char **argv)
{
	struct parse parse = { .command = command, .argv = argv, .argc = *argc };
	int result = parse_all(&parse);

	if (result > 0)
		command_help(command);
	if (result)
		return result;
	argv[parse.kept] = NULL;
	*argc = parse.kept;
	return 0;
}
