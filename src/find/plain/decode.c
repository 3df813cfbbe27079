/*
 * decode - one instruction: which bytes it touches, and a copy of it that can run elsewhere.
 *
 *   as it is            the copy, with its rip-relative displacement to be corrected
 *   op to memory        read, then written: the copy works on a slot of the thread, so that
 *   (add, inc, or ...)  another thread can come between the read and the write, as it can
 *                       between the two halves of the instruction on a machine of two cores
 *
 * I1  When in doubt there is no access: nothing is ever told of bytes the instruction may leave
 *     alone (masks, rep scans), since what is told can confirm a race.
 */
#include <Zydis/Zydis.h>
#include <string.h>

#include "find/plain/plain.h"

#define SIZE_MOST 64       /* a vector register */
#define SLOT_MARK 0x11223344

struct look {
	ZydisDecoder decoder;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool look_at(struct look *look, const uint8_t *bytes, size_t size)
{
	ZydisDecoderInit(&look->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&look->decoder, bytes, size, &look->instruction, look->operands));
}

static bool is_left_out(const ZydisDecodedInstruction *i)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_CALL:   /* the pushed address would be that of the copy */
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
		return true;
	default:
		return i->mnemonic == ZYDIS_MNEMONIC_LEAVE || i->mnemonic == ZYDIS_MNEMONIC_ENTER;
	}
}

/* The stack's own bytes: nobody else's business. */
static bool is_stack(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	return o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && o->mem.base == ZYDIS_REGISTER_RSP;
}

static bool is_shared_memory(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM && !is_stack(i, o) &&
	       o->mem.segment != ZYDIS_REGISTER_FS && o->mem.segment != ZYDIS_REGISTER_GS;
}

static bool register_number(ZydisRegister reg, uint8_t *number)
{
	*number = WIRE_REG_NONE;
	if (reg == ZYDIS_REGISTER_NONE)
		return true;
	if (reg == ZYDIS_REGISTER_RIP) {
		*number = WIRE_REG_RIP;
		return true;
	}
	if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR64)
		return false; /* 32-bit addressing: nobody's compiler makes it */
	*number = (uint8_t)ZydisRegisterGetId(reg);
	return true;
}

static bool is_compare_exchange(const ZydisDecodedInstruction *i)
{
	return i->mnemonic == ZYDIS_MNEMONIC_CMPXCHG;
}

static bool is_certain(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	bool conditional = o->actions & (ZYDIS_OPERAND_ACTION_CONDREAD | ZYDIS_OPERAND_ACTION_CONDWRITE);

	return !conditional || is_compare_exchange(i) || i->meta.category == ZYDIS_CATEGORY_STRINGOP ||
	       i->meta.category == ZYDIS_CATEGORY_CMOV;
}

static bool describe(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o, struct wire_plain_access *out)
{
	*out = (struct wire_plain_access){
		.displacement = (int32_t)o->mem.disp.value, .scale = o->mem.scale, .size = (uint16_t)(o->size / 8),
		.repeated = (i->attributes & ZYDIS_ATTRIB_HAS_REP) != 0, .expects = is_compare_exchange(i),
	};
	if ((i->attributes & ZYDIS_ATTRIB_HAS_LOCK) || i->mnemonic == ZYDIS_MNEMONIC_XCHG)
		out->flags |= ACCESS_ATOMIC;
	return o->size / 8 && o->size / 8 <= SIZE_MOST && is_certain(i, o) &&
	       o->mem.disp.value == (int32_t)o->mem.disp.value && register_number(o->mem.base, &out->base) &&
	       register_number(o->mem.index, &out->index);
}

static bool add_access(struct wire_plan_plain *out, struct wire_plain_access access, bool write)
{
	if (out->access_count == 2)
		return false;
	access.flags |= write ? ACCESS_WRITE : ACCESS_READ;
	out->access[out->access_count++] = access;
	return true;
}

/* An atomic read-modify-write is one access, a write, as the compilers' instrumentation tells it. */
static bool add_operand(const struct look *look, const ZydisDecodedOperand *o, struct wire_plan_plain *out)
{
	struct wire_plain_access access;
	bool reads = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ, writes = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

	if (!reads && !writes)
		return true;
	if (!describe(&look->instruction, o, &access))
		return false;
	if (reads && writes && (access.flags & ACCESS_ATOMIC))
		reads = false;
	return (!reads || add_access(out, access, false)) && (!writes || add_access(out, access, true));
}

/* ---- a read and a write of their own ---------------------------------------------------- */

static bool is_splittable(const struct look *look)
{
	static const ZydisMnemonic list[] = {
		ZYDIS_MNEMONIC_ADD, ZYDIS_MNEMONIC_SUB, ZYDIS_MNEMONIC_ADC, ZYDIS_MNEMONIC_SBB, ZYDIS_MNEMONIC_AND,
		ZYDIS_MNEMONIC_OR, ZYDIS_MNEMONIC_XOR, ZYDIS_MNEMONIC_INC, ZYDIS_MNEMONIC_DEC, ZYDIS_MNEMONIC_NOT,
		ZYDIS_MNEMONIC_NEG, ZYDIS_MNEMONIC_SHL, ZYDIS_MNEMONIC_SHR, ZYDIS_MNEMONIC_SAR, ZYDIS_MNEMONIC_ROL,
		ZYDIS_MNEMONIC_ROR,
	};
	const ZydisDecodedOperand *o = &look->operands[0];

	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || (look->instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) || o->size > 64)
		return false;
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (look->instruction.mnemonic == list[i])
			return true;
	return false;
}

/* The same instruction on fs:[slot]. False: it stays whole. */
static bool split(const struct look *look, struct wire_plan_plain *out)
{
	ZydisEncoderRequest request;
	ZyanUSize length = sizeof(out->copy);
	uint8_t bytes[sizeof(out->copy)];
	struct look again;

	if (!ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(&look->instruction, look->operands,
			  look->instruction.operand_count_visible, &request)))
		return false;
	request.prefixes |= ZYDIS_ATTRIB_HAS_SEGMENT_FS;
	request.operands[0].mem.base = request.operands[0].mem.index = ZYDIS_REGISTER_NONE;
	request.operands[0].mem.scale = 0;
	request.operands[0].mem.displacement = SLOT_MARK;
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, bytes, &length)) || !look_at(&again, bytes, length))
		return false;
	if (again.operands[0].type != ZYDIS_OPERAND_TYPE_MEMORY || again.operands[0].mem.segment != ZYDIS_REGISTER_FS ||
	    again.instruction.raw.disp.size != 32 || again.instruction.raw.disp.value != SLOT_MARK ||
	    again.instruction.mnemonic != look->instruction.mnemonic || again.operands[0].size != look->operands[0].size)
		return false;
	memcpy(out->copy, bytes, length);
	out->copy_length = (uint8_t)length;
	out->relative_at = 0;
	out->slot_at = again.instruction.raw.disp.offset;
	out->split_size = (uint8_t)(look->operands[0].size / 8);
	return true;
}

bool plain_decode(const uint8_t *bytes, size_t size, uint64_t address, struct wire_plan_plain *out, size_t *length)
{
	struct look look;
	const ZydisDecodedInstruction *i = &look.instruction;

	*length = 0;
	*out = (struct wire_plan_plain){ 0 };
	if (!look_at(&look, bytes, size))
		return false;
	*length = i->length;
	if (is_left_out(i))
		return false;
	for (unsigned n = 0; n < i->operand_count; n++)
		if (look.operands[n].type == ZYDIS_OPERAND_TYPE_MEMORY && look.operands[n].mem.type == ZYDIS_MEMOP_TYPE_VSIB)
			return false;
		else if (is_shared_memory(i, &look.operands[n]) && !add_operand(&look, &look.operands[n], out))
			return false;
	out->length = out->copy_length = i->length;
	memcpy(out->original, bytes, i->length);
	memcpy(out->copy, bytes, i->length);
	if (i->attributes & ZYDIS_ATTRIB_IS_RELATIVE)
		out->relative_at = i->raw.disp.offset;
	if (out->access_count == 2 && is_splittable(&look))
		split(&look, out);
	return out->access_count > 0;
}
