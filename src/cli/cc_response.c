/*
 * cc_response - @file on a compiler line, read as gcc and clang read it: words parted by
 * white space, '...' and "..." hold words together, a backslash takes the next character
 * as it is; files may name files. An @file that cannot be opened is an ordinary word.
 */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/cc.h"

#define DEPTH_MAX 100 /* a file that names itself would go on for ever */

static int expand_word(struct cc_line *line, const char *word, int depth);

/* Append one word's characters; returns what follows it. */
static const char *read_word(const char *at, struct strbuf *word)
{
	char quote = 0;

	for (; *at; at++) {
		if (!quote && isspace((unsigned char)*at))
			break;
		if (*at == '\\' && at[1])
			strbuf_putc(word, *++at);
		else if (quote && *at == quote)
			quote = 0;
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		else
			strbuf_putc(word, *at);
	}
	return at;
}

static int expand_text(struct cc_line *line, const char *at, int depth)
{
	struct strbuf word = STRBUF_INIT;
	int result = 0;

	for (;;) {
		while (isspace((unsigned char)*at))
			at++;
		if (!*at || result)
			break;
		strbuf_reset(&word);
		at = read_word(at, &word);
		result = expand_word(line, word.buf, depth);
	}
	strbuf_release(&word);
	return result;
}

static int expand_word(struct cc_line *line, const char *word, int depth)
{
	struct strbuf text = STRBUF_INIT;
	int result;

	if (*word != '@' || !word[1] || access(word + 1, R_OK)) {
		VEC_PUSH(&line->words, arena_strdup(line->arena, word));
		return 0;
	}
	if (depth == DEPTH_MAX)
		return error_usage("%s: response files nested more than %d deep", word, DEPTH_MAX);
	line->expanded = true;
	result = strbuf_read_file(&text, word + 1);
	if (!result)
		result = expand_text(line, text.buf, depth + 1);
	strbuf_release(&text);
	return result;
}

static bool is_spelling(const char *word)
{
	return !strcmp(word, "--keep-optimisation") || !strcmp(word, "--keep-optimization");
}

/* Our own options may stand anywhere: no compiler knows them. */
static int take_own(struct cc_line *line, int argc, char **argv, int *i)
{
	const char *word = argv[*i];

	if (is_spelling(word)) {
		line->keep_optimisation = true;
		return 1;
	}
	if (!strncmp(word, "--with=", 7)) {
		line->with = word + 7;
		return 1;
	}
	if (strcmp(word, "--with"))
		return 0;
	if (*i + 1 == argc)
		return error_usage("--with: needs a value (gcc|clang)");
	line->with = argv[++*i];
	return 1;
}

int cc_expand(struct cc_line *line, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		int own = take_own(line, argc, argv, &i);

		if (own < 0 || (!own && expand_word(line, argv[i], 0)))
			return -1;
	}
	return 0;
}
