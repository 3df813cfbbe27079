/* load_unit - one unit: from the cache, or by clang and lower. */
#ifndef FIND_SCAN_LOAD_UNIT_H
#define FIND_SCAN_LOAD_UNIT_H

#include "find/scan/cache.h"
#include "find/scan/compile.h"
#include "find/scan/ir.h"

/* What all units share; read only while they are made. */
struct load_tools {
	struct cache *cache;
	const char *compiler;     /* clang's path; NULL if there is none */
	const char *lower;        /* our program's path */
	struct cache_key version; /* of compiler, lower and the format */
};
struct load_made {
	struct ir_unit unit;
	bool good;                /* unit is open */
	bool cached, compiled, lowered;
	char *why;                /* not good: one line; in arena */
	char *message;            /* what the compiler said; in arena */
};

/* 0 / -1: no lower, no memory of where we are. A missing compiler is said when one is needed. */
int load_tools_find(struct load_tools *tools, struct arena *arena);
/* Never fails as such: made says how it went. Called by several threads, each with its own arena. */
void load_unit_make(struct load_made *made, struct arena *arena, const struct load_tools *tools, const struct compile_unit *unit);

#endif
