/*
 * code - the instructions of one module, as its file holds them: where each begins, which may
 * be reached from elsewhere (leaders), and by whom.
 *
 * Going forward from a sample needs no such knowledge; going backward does: the instruction
 * before is the one executed before only if nothing jumps in between. So everything that could
 * be a target counts as one:
 *   soft leaders: targets of direct jumps anywhere in the module (.cold parts jump back); all
 *     who jump there are known, so a block with one way in can be left backward by it;
 *   hard leaders: beginnings of functions, entries of jump tables, addresses taken by lea or
 *     found in any aligned word of data or relocations. Garbage among them costs yield, never
 *     truth.
 * A function is opaque (never walked backward) if its bytes do not decode, if somebody
 * jumps into the middle of an instruction of it, or if it jumps to a place computed from a
 * label of its own. Landing pads are entered by the unwinder, from calls: in functions with
 * an exception table no jump is followed backward.
 *
 * Bounds of functions come from .eh_frame, which stripping leaves.
 * All places are offsets as libdw counts them: address - load base.
 */
#ifndef FIND_SAMPLE_CODE_H
#define FIND_SAMPLE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code;

/*
 * build_id as it was loaded (size 0: unknown, not compared). NULL without a message when the file
 * cannot be read, is not x86-64, or is another build: its samples are then counted as unknown.
 */
struct code *code_open(const char *path, const uint8_t *build_id, size_t build_id_size);
void code_close(struct code *code);

/* Bytes at a place of executable code; *left: how many to the end of its segment. NULL: not code. */
const uint8_t *code_at(const struct code *code, uint64_t place, size_t *left);

/* Is it in a part of the file that is never written once the program runs (.rodata, text, after relocation .got)? */
bool code_is_constant(const struct code *code, uint64_t place);

/*
 * The instruction surely executed before the one at place: its own place, or UINT64_MAX when that
 * is not certain. A call is never crossed, nor a system call: the caller looks at what it gets.
 */
#define CODE_UNKNOWN UINT64_MAX
uint64_t code_before(const struct code *code, uint64_t place);

/* The n-th function by address: [*low, *high), empty if it is opaque. False: there are no more. */
bool code_nth_function(const struct code *code, size_t n, uint64_t *low, uint64_t *high);

/* For tests and for the curious. */
struct code_numbers {
	size_t functions, opaque, instructions, soft, hard;
};
struct code_numbers code_numbers(const struct code *code);

#endif
