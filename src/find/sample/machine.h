/*
 * machine - what is known of a thread's registers at one instruction, and what an instruction
 * does to that, forward and backward. See extend.h.
 */
#ifndef FIND_SAMPLE_MACHINE_H
#define FIND_SAMPLE_MACHINE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

struct machine {
	uint64_t value[16]; /* enum trace_register */
	uint16_t known;     /* bit per register */
	uint64_t fs_base;
	bool backward_strings; /* the direction flag */
};

struct instruction {
	ZydisDecodedInstruction i;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address; /* absolute */
};

/* false: these bytes are no instruction. */
bool machine_decode(const uint8_t *bytes, size_t left, uint64_t address, struct instruction *to);

/* 0..15 for any part of a general register, -1 for all others. */
int machine_register(ZydisRegister reg);
static inline bool machine_knows(const struct machine *m, int reg)
{
	return m->known >> reg & 1;
}
static inline void machine_set(struct machine *m, int reg, uint64_t value)
{
	m->value[reg] = value;
	m->known |= (uint16_t)(1u << reg);
}
static inline void machine_forget(struct machine *m, int reg)
{
	m->known &= (uint16_t)~(1u << reg);
}

/* Address of a memory operand before the instruction; false: not all of it is known. */
bool machine_address(const struct machine *m, const struct instruction *in, const ZydisDecodedOperand *operand,
		     uint64_t *address);

/* From before the instruction to after it. Control flow is the caller's. */
void machine_forward(struct machine *m, const struct instruction *in);
/* From after it to before it. */
void machine_backward(struct machine *m, const struct instruction *in);

/* Nobody knows what happened in between: call, return, system call, interrupt, transaction. */
bool machine_is_barrier(const struct instruction *in);
bool machine_is_string(const struct instruction *in);
bool machine_repeats(const struct instruction *in);

#endif
