/*
 * code_internal - what code.c and code_frames.c share.
 */
#ifndef FIND_SAMPLE_CODE_INTERNAL_H
#define FIND_SAMPLE_CODE_INTERNAL_H

#include <elf.h>

#include "base/vec.h"
#include "find/sample/code.h"

#define CODE_SEGMENTS 16

struct code_function {
	uint64_t low, high;
	bool opaque;   /* never walked backward */
	bool unwinds;  /* has an exception table */
};

struct code_jump {
	uint64_t target, source;
};

struct code {
	const uint8_t *file;
	size_t file_size;
	Elf64_Phdr segments[CODE_SEGMENTS];
	size_t segment_count;
	uint64_t eh_frame_hdr;
	uint64_t text_low, text_high;
	uint64_t relro_low, relro_high;
	uint8_t *starts, *soft, *hard; /* one bit per byte of text; one block of memory */
	VEC(struct code_function) functions; /* sorted, disjoint */
	VEC(struct code_jump) jumps;         /* sorted by target */
	struct code_numbers numbers;
};

/* Bytes of the file at a place, of any segment or executable ones only. */
const uint8_t *code_bytes(const struct code *code, uint64_t place, size_t *left, bool executable);
struct code_function *code_function(const struct code *code, uint64_t place);
/* code_frames.c: the functions .eh_frame knows, in its order. */
void code_read_frames(struct code *code);

#endif
