/*
 * arena - memory by lifetime: allocate freely, free all at once.
 *
 * Never returns NULL (out of memory aborts: the host has nothing sensible left to do).
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena {
	struct arena_chunk *chunk;
};

#define ARENA_INIT { NULL }

/* Zeroed, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);
/* NULL stays NULL. */
char *arena_strdup(struct arena *arena, const char *string);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Frees everything; the arena can be used again. */
void arena_free(struct arena *arena);

/* All that is in `from` lives on in `to`; `from` is empty then. For what several threads made. */
void arena_join(struct arena *to, struct arena *from);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (count)))

#endif
