/*
 * extend - one sample, many accesses (RACEZ, section 3.3): from the registers at one
 * instruction the addresses of the accesses around it.
 *
 * Forward: each instruction's effect on the registers is followed as far as it can be computed;
 * a register that becomes something unknown (a load) is unknown from there. It goes on
 * through direct jumps and stops at a conditional one, a call, a return, a system call.
 * Backward: the instruction before (code.h says which, if it is certain) is undone: a register
 * it wrote is unknown before it unless the operation can be inverted (add, sub, lea, xor,
 * push, ...); after `mov a, b` a known a tells b.
 *
 * Nothing is guessed: an address is given only when every register in it is known. The
 * oracle (tests/unit/sample_oracle.c) compares with single-stepping.
 */
#ifndef FIND_SAMPLE_EXTEND_H
#define FIND_SAMPLE_EXTEND_H

#include "find/sample/code.h"
#include "wire/trace.h"

#define EXTEND_STEPS 64 /* instructions each way; blocks are shorter, chains rarely pay beyond */

struct extend_access {
	uint64_t place;    /* of the instruction, in its module */
	uint64_t address;
	uint32_t size;     /* bytes */
	uint32_t flags;    /* enum access_flag: one access is a read or a write; an instruction that does both gives two */
	int step;          /* 0: the sampled instruction; 1: the next executed; -1: the one before */
	bool by_stack_pointer; /* its address comes from rsp or rbp */
};

struct extend_sample {
	uint64_t place;    /* ip - base */
	uint64_t base;     /* load base of the module: addresses of globals */
	const uint64_t *registers; /* TRACE_REGISTERS */
	uint64_t fs_base;
	uint64_t flags;
};

/*
 * Into out[0..most); returns how many. *plain, if asked: how many of them the sampled instruction
 * itself makes.
 */
size_t extend(const struct code *code, const struct extend_sample *sample, struct extend_access *out, size_t most,
	      size_t *plain);

#endif
