/* intern - equal things get equal numbers: a hash table that several workers fill. */
#ifndef FIND_SCAN_INTERN_H
#define FIND_SCAN_INTERN_H

#include "find/scan/internal.h"

typedef uint64_t (*intern_hash)(const void *item);
typedef bool (*intern_same)(const void *kept, const void *item);
typedef void (*intern_keep)(void *kept, struct arena *arena, void *context); /* a new one: copy what it points to */
uint32_t intern_get(struct intern *intern, const void *item, intern_hash hash_of, intern_same same, intern_keep keep,
		    void *context);

static inline uint64_t intern_mix(uint64_t h, uint64_t x)
{
	h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
	h *= 0xff51afd7ed558ccdull;
	return h ^ h >> 33;
}

/* The bit of mark (a, b) in the tags of a path. */
static inline uint64_t path_tag(uint32_t a, uint32_t b)
{
	return 1ull << (intern_mix(a, b) & 63);
}

#endif
