/* tables - see tables.h. Rows are arrays of integers, found again by their bytes. */
#include "report/tables.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "report/put.h"

#define ROW 8 /* integers: the longest row has seven */

struct entry {
	int number;
	const void *key;
	size_t size;
	UT_hash_handle hh;
};

struct table {
	struct entry *entries;
	int count;
};

struct tables {
	struct arena arena;
	struct table strings, frames, sources, places;
};

struct tables *tables_open(void)
{
	return calloc(1, sizeof(struct tables));
}

void tables_close(struct tables *t)
{
	HASH_CLEAR(hh, t->strings.entries);
	HASH_CLEAR(hh, t->frames.entries);
	HASH_CLEAR(hh, t->sources.entries);
	HASH_CLEAR(hh, t->places.entries);
	arena_free(&t->arena);
	free(t);
}

static int row_index(struct tables *t, struct table *table, const void *key, size_t size)
{
	struct entry *entry;

	HASH_FIND(hh, table->entries, key, size, entry);
	if (entry)
		return entry->number;
	entry = ARENA_NEW(&t->arena, struct entry);
	*entry = (struct entry){ .number = table->count++, .key = arena_copy(&t->arena, key, size), .size = size };
	HASH_ADD_KEYPTR(hh, table->entries, entry->key, entry->size, entry);
	return entry->number;
}

int string_index(struct tables *t, const char *text)
{
	return text && *text ? row_index(t, &t->strings, text, strlen(text) + 1) : -1;
}

int frame_index(struct tables *t, const struct frame *f)
{
	int64_t row[ROW] = { string_index(t, f->function), string_index(t, f->file), f->line, f->column, f->inlined,
			     string_index(t, f->place.module), (int64_t)f->place.offset };

	return row_index(t, &t->frames, row, sizeof(row));
}

void source_add(struct tables *t, const char *file, int line, const char *text)
{
	int64_t row[ROW] = { string_index(t, file), line, string_index(t, text) };

	row_index(t, &t->sources, row, sizeof(row));
}

int place_index(struct tables *t, const char *file, int line, const char *function, const char *text)
{
	int64_t row[ROW] = { string_index(t, file), line, string_index(t, function), string_index(t, text) };

	return line > 0 ? row_index(t, &t->places, row, sizeof(row)) : -1;
}

/* uthash keeps the order of insertion: row n is the n-th. */
static void write_rows(const struct table *table, struct json *j, const char *key, int columns)
{
	put_begin(j, key, '[');
	for (const struct entry *e = table->entries; e; e = e->hh.next) {
		json_begin(j, '[');
		for (int i = 0; i < columns; i++)
			json_number(j, ((const int64_t *)e->key)[i]);
		json_end(j, ']');
	}
	json_end(j, ']');
}

void tables_write(struct tables *t, struct json *j)
{
	put_begin(j, "strings", '[');
	for (const struct entry *e = t->strings.entries; e; e = e->hh.next)
		json_text(j, e->key);
	json_end(j, ']');
	write_rows(&t->frames, j, "frames", 7);
	write_rows(&t->sources, j, "sources", 3);
	write_rows(&t->places, j, "places", 4);
}
