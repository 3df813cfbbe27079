/* arena - a list of chunks, each twice a page or as large as one big request. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHUNK_SIZE 65536 /* a report of a hundred pairs fits into a few */
#define ALIGNMENT 16

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	_Alignas(ALIGNMENT) char data[];
};

static struct arena_chunk *chunk_new(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + size);

	if (!chunk)
		BUG("out of memory (%zu bytes)", size);
	chunk->size = size;
	chunk->next = arena->chunk;
	arena->chunk = chunk;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunk;
	void *result;

	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (!chunk || chunk->size - chunk->used < size)
		chunk = chunk_new(arena, size > CHUNK_SIZE ? size : CHUNK_SIZE);
	result = chunk->data + chunk->used;
	chunk->used += size;
	return result;
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_alloc(arena, size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
	return string ? arena_copy(arena, string, strlen(string) + 1) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int size;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = arena_alloc(arena, (size_t)size + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)size + 1, format, args);
	va_end(args);
	return text;
}

void arena_join(struct arena *to, struct arena *from)
{
	struct arena_chunk **tail = &from->chunk;

	if (!to->chunk) {
		*to = *from;
	} else if (from->chunk) { /* behind its first, which still has room */
		while (*tail)
			tail = &(*tail)->next;
		*tail = to->chunk->next;
		to->chunk->next = from->chunk;
	}
	from->chunk = NULL;
}

void arena_free(struct arena *arena)
{
	while (arena->chunk) {
		struct arena_chunk *next = arena->chunk->next;

		free(arena->chunk);
		arena->chunk = next;
	}
}
