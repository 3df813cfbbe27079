/*
 * extend - see extend.h: two walks from the sampled instruction, one machine state each.
 */
#include "find/sample/extend.h"

#include <string.h>

#include "find/sample/machine.h"
#include "race/access.h"

struct walk {
	const struct code *code;
	const struct extend_sample *sample;
	struct extend_access *out;
	size_t count, most;
	int step;
};

static void emit(struct walk *w, const struct instruction *in, uint64_t address, uint64_t size, unsigned flags,
		 bool by_stack_pointer)
{
	if (!size || size > UINT32_MAX || w->count == w->most)
		return;
	w->out[w->count++] = (struct extend_access){
		.place = in->address - w->sample->base, .address = address, .size = (uint32_t)size, .flags = flags,
		.step = w->step, .by_stack_pointer = by_stack_pointer,
	};
}

/* xchg with memory locks by itself. */
static bool is_atomic(const struct instruction *in)
{
	return in->i.attributes & ZYDIS_ATTRIB_HAS_LOCK || in->i.mnemonic == ZYDIS_MNEMONIC_XCHG;
}

/* A compare and exchange may write; whether it did is not in the registers. */
static bool may_write(const struct instruction *in, const ZydisDecodedOperand *operand)
{
	if (operand->actions & ZYDIS_OPERAND_ACTION_WRITE)
		return true;
	return is_atomic(in) && operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE;
}

static void emit_operand(struct walk *w, const struct machine *m, const struct instruction *in,
			 const ZydisDecodedOperand *operand, uint64_t times)
{
	bool stack = operand->mem.base == ZYDIS_REGISTER_RSP || operand->mem.base == ZYDIS_REGISTER_RBP;
	unsigned atomic = is_atomic(in) ? ACCESS_ATOMIC : 0;
	uint64_t address, size = operand->size / 8 * times;

	if (!machine_address(m, in, operand, &address))
		return;
	if (times > 1 && m->backward_strings)
		address -= size - operand->size / 8;
	if (operand->actions & ZYDIS_OPERAND_ACTION_READ)
		emit(w, in, address, size, ACCESS_READ | atomic, stack);
	if (may_write(in, operand))
		emit(w, in, address, size, ACCESS_WRITE | atomic, stack);
}

/* Addresses that are computed and not used: nop, prefetch, lea; and what call, push, pop do to their stack. */
static bool touches(const struct instruction *in, const ZydisDecodedOperand *operand)
{
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
		return false;
	if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && !machine_is_string(in))
		return false;
	switch (in->i.meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
		return false;
	default:
		/* pop's own address is computed after it has moved the stack pointer */
		return in->i.mnemonic != ZYDIS_MNEMONIC_POP && in->i.mnemonic != ZYDIS_MNEMONIC_CLFLUSH;
	}
}

/* How many elements a string operation surely touches: all, or only the first if a compare may end it. */
static uint64_t string_times(const struct machine *m, const struct instruction *in)
{
	bool until = in->i.attributes & (ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);

	if (!machine_is_string(in) || !machine_repeats(in))
		return 1;
	if (!machine_knows(m, TRACE_RCX))
		return 0;
	return until && m->value[TRACE_RCX] ? 1 : m->value[TRACE_RCX];
}

static void emit_all(struct walk *w, const struct machine *m, const struct instruction *in)
{
	uint64_t times = string_times(m, in);

	for (unsigned i = 0; times && i < in->i.operand_count; i++)
		if (touches(in, &in->operand[i]))
			emit_operand(w, m, in, &in->operand[i], times);
}

static bool decode(const struct walk *w, uint64_t place, struct instruction *in)
{
	size_t left;
	const uint8_t *bytes = code_at(w->code, place, &left);

	return bytes && machine_decode(bytes, left, w->sample->base + place, in);
}

/* Where execution goes on, CODE_UNKNOWN if that is not certain. */
static uint64_t after(const struct instruction *in, uint64_t place)
{
	uint64_t next = place + in->i.length;

	if (machine_is_barrier(in) || in->i.meta.category == ZYDIS_CATEGORY_COND_BR)
		return CODE_UNKNOWN;
	if (in->i.meta.category != ZYDIS_CATEGORY_UNCOND_BR)
		return next;
	if (!in->i.raw.imm[0].is_relative)
		return CODE_UNKNOWN;
	return next + (uint64_t)in->i.raw.imm[0].value.s;
}

static void walk_forward(struct walk *w, struct machine m)
{
	uint64_t place = w->sample->place;
	struct instruction in;

	for (w->step = 0; w->step < EXTEND_STEPS && place != CODE_UNKNOWN && decode(w, place, &in); w->step++) {
		emit_all(w, &m, &in);
		machine_forward(&m, &in);
		place = after(&in, place);
	}
}

static bool is_jump(const struct instruction *in)
{
	return in->i.meta.category == ZYDIS_CATEGORY_COND_BR || in->i.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

static void walk_backward(struct walk *w, struct machine m)
{
	uint64_t place = w->sample->place;
	struct instruction in;

	for (w->step = -1; w->step >= -EXTEND_STEPS; w->step--) {
		place = code_before(w->code, place);
		if (place == CODE_UNKNOWN || !decode(w, place, &in) || machine_is_barrier(&in))
			return;
		if (is_jump(&in))
			continue;
		machine_backward(&m, &in);
		if (machine_repeats(&in) && machine_is_string(&in))
			continue; /* what it touched is behind registers it has moved */
		emit_all(w, &m, &in);
	}
}

size_t extend(const struct code *code, const struct extend_sample *sample, struct extend_access *out, size_t most,
	      size_t *plain)
{
	struct walk w = { .code = code, .sample = sample, .out = out, .most = most };
	struct machine m = { .known = 0xffff, .fs_base = sample->fs_base, .backward_strings = sample->flags >> 10 & 1 };

	memcpy(m.value, sample->registers, sizeof(m.value));
	walk_forward(&w, m);
	if (plain)
		for (*plain = 0; *plain < w.count && out[*plain].step == 0;)
			(*plain)++;
	walk_backward(&w, m);
	return w.count;
}
