/* map - open addressing, linear probing, at most half full. Keys are pointers or hashes, never 0. */
#include <stdlib.h>

#include "base/error.h"
#include "find/scan/lower/internal.h"

static size_t map_slot(const struct map *map, uint64_t key)
{
	size_t mask = map->size - 1;
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & mask;

	while (map->keys[at] && map->keys[at] != key)
		at = (at + 1) & mask;
	return at;
}

static void map_grow(struct map *map)
{
	struct map old = *map;

	map->size = old.size ? old.size * 2 : 256;
	map->keys = calloc(map->size, sizeof(*map->keys));
	map->values = malloc(map->size * sizeof(*map->values));
	if (!map->keys || !map->values)
		BUG("out of memory");
	for (size_t i = 0; i < old.size; i++) {
		size_t at;

		if (!old.keys[i])
			continue;
		at = map_slot(map, old.keys[i]);
		map->keys[at] = old.keys[i];
		map->values[at] = old.values[i];
	}
	free(old.keys);
	free(old.values);
}

uint32_t *map_put(struct map *map, uint64_t key, bool *fresh)
{
	size_t at;

	if (map->count * 2 >= map->size)
		map_grow(map);
	at = map_slot(map, key);
	*fresh = !map->keys[at];
	if (*fresh) {
		map->keys[at] = key;
		map->values[at] = IR_NO;
		map->count++;
	}
	return &map->values[at];
}

uint32_t map_get(const struct map *map, uint64_t key)
{
	size_t at;

	if (!map->size)
		return IR_NO;
	at = map_slot(map, key);
	return map->keys[at] ? map->values[at] : IR_NO;
}

void map_free(struct map *map)
{
	free(map->keys);
	free(map->values);
	*map = (struct map){ 0 };
}
