/*
 * compile_words - command lines as words. compile_commands.json has a shell's quoting in
 * "command"; response files have the compilers' own: a backslash takes the next character as
 * it is also inside of quotes.
 */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "find/scan/compile.h"

#define DEPTH_MAX 16 /* a response file that names itself would go on for ever */

/* Inside "..." of a shell a backslash only protects these. */
static bool is_protected(char c, char quote, bool shell)
{
	if (shell && quote == '\'')
		return false;
	return !shell || !quote || strchr("\"\\$`\n", c);
}

/* Append one word's characters; returns what follows it, NULL if a quote is not closed. */
static const char *read_word(const char *at, struct strbuf *word, bool shell)
{
	char quote = 0;

	for (; *at; at++) {
		if (!quote && isspace((unsigned char)*at))
			break;
		if (*at == '\\' && at[1] && is_protected(at[1], quote, shell))
			strbuf_putc(word, *++at);
		else if (quote && *at == quote)
			quote = 0;
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
		else
			strbuf_putc(word, *at);
	}
	return quote ? NULL : at;
}

static int split(word_list *words, struct arena *arena, const char *at, bool shell)
{
	struct strbuf word = STRBUF_INIT;

	for (;;) {
		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			break;
		strbuf_reset(&word);
		at = read_word(at, &word, shell);
		if (!at) {
			strbuf_release(&word);
			return error("a quote is not closed");
		}
		VEC_PUSH(words, arena_strdup(arena, word.buf));
	}
	strbuf_release(&word);
	return 0;
}

int words_split(word_list *words, struct arena *arena, const char *text)
{
	return split(words, arena, text, true);
}

static int respond(word_list *out, struct arena *arena, const char *directory, char *word, int depth)
{
	struct strbuf text = STRBUF_INIT;
	word_list inner = { 0 };
	char *path = *word == '@' ? path_join(arena, directory, word + 1) : NULL;
	int result;

	if (!path || access(path, R_OK)) {
		VEC_PUSH(out, word);
		return 0;
	}
	if (depth == DEPTH_MAX)
		return error("%s: response files nested more than %d deep", word, DEPTH_MAX);
	result = strbuf_read_file(&text, path);
	if (!result)
		result = split(&inner, arena, text.buf, false);
	for (size_t i = 0; i < inner.count && !result; i++)
		result = respond(out, arena, directory, inner.items[i], depth + 1);
	VEC_FREE(&inner);
	strbuf_release(&text);
	return result;
}

int words_respond(word_list *words, struct arena *arena, const char *directory)
{
	word_list out = { 0 };
	int result = 0;

	for (size_t i = 0; i < words->count && !result; i++)
		result = respond(&out, arena, directory, words->items[i], 0);
	VEC_FREE(words);
	*words = out;
	return result;
}
