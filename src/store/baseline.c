/* baseline - see baseline.h. */
#include "store/baseline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "race/candidate.h"

static const char first_line[] = "# deadheat baseline 1";

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct baseline_entry *)a)->id, ((const struct baseline_entry *)b)->id);
}

static bool is_id(const char *word)
{
	return strlen(word) == CANDIDATE_ID_SIZE - 1 && strspn(word, "0123456789abcdef") == strlen(word);
}

static bool is_kind(const char *word)
{
	return !strcmp(word, "race") || !strcmp(word, "deadlock") || !strcmp(word, "failure");
}

static bool read_entry(struct baseline_entry *entry, char *line)
{
	entry->id = strsep(&line, " ");
	entry->kind = strsep(&line, " ");
	entry->rung = strsep(&line, " ");
	entry->title = line;
	return entry->title && is_id(entry->id) && is_kind(entry->kind);
}

static int read_lines(struct baseline *baseline, struct arena *arena, const char *path, char *text)
{
	VEC(struct baseline_entry) list = { 0 };
	char *line = strsep(&text, "\n");
	int number = 1, result = 0;

	if (strcmp(line, first_line))
		result = error_usage("%s is no baseline of this deadheat: its first line should be '%s'", path, first_line);
	while (!result && (line = strsep(&text, "\n"))) {
		struct baseline_entry entry;

		number++;
		if (!*line || *line == '#')
			continue;
		if (read_entry(&entry, line))
			VEC_PUSH(&list, entry);
		else
			result = error_usage("%s:%d: this is no line of a baseline; `deadheat baseline save` writes it anew", path,
					     number);
	}
	baseline->count = list.count;
	baseline->entries = arena_copy(arena, list.items, list.count * sizeof(*list.items));
	qsort(baseline->entries, baseline->count, sizeof(*baseline->entries), compare);
	VEC_FREE(&list);
	return result ? -1 : 1;
}

int baseline_read(struct baseline *baseline, struct arena *arena, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	int result;

	*baseline = (struct baseline){ 0 };
	if (access(path, F_OK))
		return 0;
	result = strbuf_read_file(&text, path);
	if (!result)
		result = read_lines(baseline, arena, path, arena_strdup(arena, text.buf));
	strbuf_release(&text);
	return result;
}

int baseline_write(struct baseline *baseline, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	int result;

	qsort(baseline->entries, baseline->count, sizeof(*baseline->entries), compare);
	strbuf_printf(&text, "%s\n", first_line);
	for (size_t i = 0; i < baseline->count; i++) {
		const struct baseline_entry *e = &baseline->entries[i];

		strbuf_printf(&text, "%s %s %s %.*s\n", e->id, e->kind, e->rung, (int)strcspn(e->title, "\n"), e->title);
	}
	result = strbuf_replace_file(&text, path);
	strbuf_release(&text);
	return result;
}
