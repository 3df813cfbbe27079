/*
 * suppress_file - one line into or out of STORE/suppressions.
 *
 * The file is a person's too: all other lines stay as they are.
 */
#include <string.h>
#include <unistd.h>

#include "store/internal.h"
#include "store/suppress.h"

static const char head[] =
	"# Findings decided about; belongs under version control. One rule a line:\n"
	"#   finding:ID [until DATE] because TEXT      written by `deadheat suppress`\n"
	"#   race:PATTERN, deadlock:PATTERN, ...       as ThreadSanitizer has them\n";

const char *store_suppressions_path(struct store *store, struct arena *arena)
{
	bool is_url = strstr(store->location, "://") != NULL;

	return arena_printf(arena, "%s/suppressions", is_url ? STORE_DEFAULT : store->location);
}

static bool is_rule_for(const char *line, size_t length, const char *id)
{
	size_t n = strlen("finding:"), digits = strlen(id);

	while (length && (*line == ' ' || *line == '\t'))
		line++, length--;
	return length >= n + digits && !memcmp(line, "finding:", n) && !memcmp(line + n, id, digits);
}

/* All lines but those for the id; how many those were. */
static int copy_others(struct strbuf *out, const char *text, const char *id)
{
	int left_out = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (is_rule_for(text, length, id)) {
			left_out++;
		} else {
			strbuf_add(out, text, length);
			strbuf_putc(out, '\n');
		}
		text += length + (text[length] == '\n');
	}
	return left_out;
}

/* line NULL: only take out. 1 a rule for it was there before, 0 not, -1 error. */
static int edit(struct store *store, const char *id, const char *line)
{
	struct arena arena = ARENA_INIT;
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT;
	const char *path = store_suppressions_path(store, &arena);
	bool exists = !access(path, F_OK);
	int result = exists ? strbuf_read_file(&old, path) : 0, before = 0;

	if (!exists)
		strbuf_puts(&new, head);
	if (!result)
		before = copy_others(&new, old.buf, id);
	if (line)
		strbuf_puts(&new, line);
	if (!result && (line || before))
		result = strbuf_replace_file(&new, path);
	strbuf_release(&old);
	strbuf_release(&new);
	arena_free(&arena);
	return result ? -1 : before > 0;
}

int store_suppress(struct store *store, const char *id, const char *because, const char *until)
{
	struct arena arena = ARENA_INIT;
	const char *line = arena_printf(&arena, "finding:%s%s%s because %s\n", id, until ? " until " : "",
					until ? until : "", because);
	int result = edit(store, id, line);

	arena_free(&arena);
	return result < 0 ? -1 : 0;
}

int store_unsuppress(struct store *store, const char *id)
{
	return edit(store, id, NULL);
}
