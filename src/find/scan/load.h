/*
 * load - sources, compile_commands.json or bitcode in, a linked program out: runs clang and
 * lower in parallel, keeps the cache.
 */
#ifndef FIND_SCAN_LOAD_H
#define FIND_SCAN_LOAD_H

#include "base/arena.h"
#include "find/scan/linked.h"

struct load_options {
	const char *build_dir;      /* -p DIR; NULL: files */
	char **files;               /* sources, .bc, .ll, .i; NULL terminated */
	char **compiler_args;       /* after "--": for plain sources (-I, -D); NULL terminated or NULL */
	const char *cache;          /* folder, made if missing; NULL: none kept */
	unsigned jobs;              /* 0: one per core */
	void (*progress)(void *context, size_t done, size_t all, const char *file); /* or NULL */
	void (*skipped)(void *context, const char *file, const char *why);          /* each unit left out: an assumption */
	void *context;
};
struct load_result {
	struct linked program;
	size_t unit_count, skipped_count, cached_count, compiled_count, lowered_count;
	uint64_t lines, instructions;
};
/* 0 (perhaps with skipped units), or -1 with one line when nothing at all could be read. */
int load_program(struct load_result *result, struct arena *arena, const struct load_options *options);
void load_free(struct load_result *result);

#endif
