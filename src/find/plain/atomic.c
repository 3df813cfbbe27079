/*
 * atomic - does a statement of an uninstrumented program speak of an atomic object?
 *
 * A relaxed or acquire load, a relaxed or release store of C11 and C++ is an ordinary move; only
 * the source and the debug information still know. So an access counts as atomic when
 *   - its source line names an atomic operation (atomic_*, __atomic_*, __sync_*), or
 *   - it names a variable or member whose type is atomic somewhere in the module, or
 *   - it was inlined from std::atomic's own functions.
 * That may take an ordinary access on such a line for an atomic one, and a race with it for none:
 * better than to call two atomics a race. Without source files only the last remains
 * (docs/limits.md).
 */
#include <ctype.h>
#include <string.h>

#include "find/plain/plain.h"

#define WORD_MAX 128

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_operation(const char *word)
{
	return starts(word, "atomic_") || starts(word, "__atomic_") || starts(word, "__sync_") ||
	       starts(word, "ATOMIC_") || starts(word, "std::atomic");
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool line_speaks(struct sym *sym, const struct place *place, const char *line)
{
	char word[WORD_MAX];

	while (line && *line) {
		size_t n = 0;

		while (*line && !is_word(*line))
			line++;
		while (is_word(line[n]))
			n++;
		if (n && n < sizeof(word)) {
			memcpy(word, line, n);
			word[n] = 0;
			if (is_operation(word) || sym_is_atomic_name(sym, place, word))
				return true;
		}
		line += n;
	}
	return false;
}

static bool is_inlined_from(const struct frame *frame)
{
	return (frame->function && (starts(frame->function, "std::atomic") || starts(frame->function, "std::__atomic"))) ||
	       (frame->file && strstr(frame->file, "atomic_base.h"));
}

bool plain_is_atomic(struct sym *sym, struct arena *arena, const struct place *place)
{
	struct frame *frames;
	size_t count = sym_frames(sym, arena, place, &frames, NULL);

	for (size_t i = 0; i < count; i++) {
		if (is_inlined_from(&frames[i]))
			return true;
		if (!frames[i].inlined)
			break;
	}
	return count && frames[0].file && line_speaks(sym, place, sym_source_line(sym, frames[0].file, frames[0].line));
}
