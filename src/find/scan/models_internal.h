/*
 * models_internal - between models.c (files, finding) and models_line.c (the line language).
 */
#ifndef FIND_SCAN_MODELS_INTERNAL_H
#define FIND_SCAN_MODELS_INTERNAL_H

#include "base/arena.h"
#include "base/vec.h"
#include "find/scan/models.h"

#define MODEL_BUCKETS 4096 /* about 1,500 names: chains of less than one */

struct models_entry {
	struct model *model;
	struct models_entry *chain;
};
struct models {
	struct arena arena;
	struct models_entry *buckets[MODEL_BUCKETS];
	VEC(struct model *) patterns, fields; /* asm; "type.field" */
	size_t count;
};

/* Replaces what was said of the function, or adds an effect to it. */
void models_put(struct models *models, struct model *model, bool add);
/* White space (and ";") made one blank, none at the ends; to be freed. */
char *models_normalised(const char *text);
/* The whole text of one file; it is cut up. 0, or -1 with file:line and reason. */
int models_parse(struct models *models, const char *file, char *text);

#endif
