/*
 * vec - a typed growing array.
 *
 *     VEC(int) numbers = { 0 };
 *     VEC_PUSH(&numbers, 7);
 *     for (size_t i = 0; i < numbers.count; i++) ... numbers.items[i]
 *     VEC_FREE(&numbers);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>

#define VEC(type) struct { type *items; size_t count, size; }

#define VEC_PUSH(vec, ...) do { \
	if ((vec)->count == (vec)->size) \
		(vec)->items = vec_grow((vec)->items, &(vec)->size, sizeof(*(vec)->items)); \
	(vec)->items[(vec)->count++] = (__VA_ARGS__); \
} while (0)

#define VEC_FREE(vec) do { \
	vec_release((vec)->items); \
	(vec)->items = NULL; \
	(vec)->count = (vec)->size = 0; \
} while (0)

void *vec_grow(void *items, size_t *size, size_t item_size);
void vec_release(void *items);

#endif
