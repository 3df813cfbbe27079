/*
 * machine - see machine.h. Tables of what is computed are short on purpose: moves, address
 * arithmetic, stack. Whatever else writes a register makes it unknown: Zydis names every
 * register an instruction writes, hidden ones too, so nothing is missed by not being listed.
 *
 * I1  A write to 32 bits of a register clears its upper half; a write to 8 or 16 bits keeps
 *     the rest: those make it unknown.
 * I2  Backward, only 64-bit operations are inverted: of a 32-bit one the upper half before
 *     is lost.
 */
#include "find/sample/machine.h"

#include "wire/trace.h"

bool machine_decode(const uint8_t *bytes, size_t left, uint64_t address, struct instruction *to)
{
	static ZydisDecoder decoder;
	static bool ready;

	if (!ready)
		ready = ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
	to->address = address;
	return bytes && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, left, &to->i, to->operand));
}

int machine_register(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (int)(whole - ZYDIS_REGISTER_RAX) : -1;
}

bool machine_is_string(const struct instruction *in)
{
	return in->i.meta.category == ZYDIS_CATEGORY_STRINGOP;
}

bool machine_repeats(const struct instruction *in)
{
	return in->i.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

bool machine_is_barrier(const struct instruction *in)
{
	switch (in->i.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_UFMA:
	case ZYDIS_CATEGORY_IOSTRINGOP:
		return true;
	default:
		break;
	}
	switch (in->i.mnemonic) {
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_ENTER:
	case ZYDIS_MNEMONIC_POPFQ:
	case ZYDIS_MNEMONIC_STD:
	case ZYDIS_MNEMONIC_CLD:
	case ZYDIS_MNEMONIC_WRFSBASE:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		return true;
	default:
		return false;
	}
}

/* ---- addresses ------------------------------------------------------------------------------ */

static bool part_of_address(const struct machine *m, ZydisRegister reg, uint64_t scale, uint64_t *sum)
{
	int r;

	if (reg == ZYDIS_REGISTER_NONE)
		return true;
	r = machine_register(reg);
	if (r < 0 || reg != (ZydisRegister)(ZYDIS_REGISTER_RAX + r) || !machine_knows(m, r))
		return false;
	*sum += m->value[r] * scale;
	return true;
}

bool machine_address(const struct machine *m, const struct instruction *in, const ZydisDecodedOperand *operand,
		     uint64_t *address)
{
	uint64_t sum = operand->mem.disp.has_displacement ? (uint64_t)operand->mem.disp.value : 0;

	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || in->i.address_width != 64 ||
	    operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB || operand->mem.type == ZYDIS_MEMOP_TYPE_MIB)
		return false;
	if (operand->mem.base == ZYDIS_REGISTER_RIP)
		sum += in->address + in->i.length;
	else if (!part_of_address(m, operand->mem.base, 1, &sum))
		return false;
	if (!part_of_address(m, operand->mem.index, operand->mem.scale, &sum))
		return false;
	if (operand->mem.segment == ZYDIS_REGISTER_GS)
		return false;
	if (operand->mem.segment == ZYDIS_REGISTER_FS && operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
		sum += m->fs_base;
	*address = sum;
	return true;
}

/* ---- forward ------------------------------------------------------------------------------------ */

static bool is_register(const ZydisDecodedOperand *operand, unsigned bits)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->size == bits &&
	       machine_register(operand->reg.value) >= 0;
}

/* Value of a register or immediate operand, at the width of the operation. */
static bool operand_value(const struct machine *m, const ZydisDecodedOperand *operand, unsigned bits, uint64_t *value)
{
	int r;

	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		*value = operand->imm.is_signed ? (uint64_t)operand->imm.value.s : operand->imm.value.u;
	} else {
		if (!is_register(operand, bits))
			return false;
		r = machine_register(operand->reg.value);
		if (!machine_knows(m, r))
			return false;
		*value = m->value[r];
	}
	if (bits == 32)
		*value &= 0xffffffff;
	return true;
}

static uint64_t extended(uint64_t value, unsigned bits, bool with_sign)
{
	switch (bits) {
	case 8: return with_sign ? (uint64_t)(int64_t)(int8_t)value : (value & 0xff);
	case 16: return with_sign ? (uint64_t)(int64_t)(int16_t)value : (value & 0xffff);
	case 32: return with_sign ? (uint64_t)(int64_t)(int32_t)value : (value & 0xffffffff);
	default: return value;
	}
}

/* ah, bh, ch, dh are not the low byte of their register. */
static bool is_high_byte(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
}

static bool compute_extension(const struct machine *m, const struct instruction *in, uint64_t *result)
{
	const ZydisDecodedOperand *from = &in->operand[1];
	int r = from->type == ZYDIS_OPERAND_TYPE_REGISTER ? machine_register(from->reg.value) : -1;

	if (r < 0 || !machine_knows(m, r) || is_high_byte(from->reg.value))
		return false;
	*result = extended(m->value[r], from->size, in->i.mnemonic != ZYDIS_MNEMONIC_MOVZX);
	return true;
}

static bool compute_two(const struct machine *m, const struct instruction *in, unsigned bits, uint64_t *result)
{
	uint64_t a, b;

	if (!operand_value(m, &in->operand[0], bits, &a) || !operand_value(m, &in->operand[1], bits, &b))
		return false;
	switch (in->i.mnemonic) {
	case ZYDIS_MNEMONIC_ADD: *result = a + b; return true;
	case ZYDIS_MNEMONIC_SUB: *result = a - b; return true;
	case ZYDIS_MNEMONIC_AND: *result = a & b; return true;
	case ZYDIS_MNEMONIC_OR: *result = a | b; return true;
	case ZYDIS_MNEMONIC_XOR: *result = a ^ b; return true;
	default: break;
	}
	if (in->operand[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	b &= bits - 1;
	switch (in->i.mnemonic) {
	case ZYDIS_MNEMONIC_SHL: *result = a << b; return true;
	case ZYDIS_MNEMONIC_SHR: *result = a >> b; return true;
	case ZYDIS_MNEMONIC_SAR:
		*result = bits == 32 ? (uint64_t)((int32_t)a >> b) : (uint64_t)((int64_t)a >> b);
		return true;
	default: return false;
	}
}

/* What operand 0, a register of 32 or 64 bits, holds afterwards. */
static bool compute(const struct machine *m, const struct instruction *in, unsigned bits, uint64_t *result)
{
	uint64_t a;

	switch (in->i.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		return operand_value(m, &in->operand[1], bits, result);
	case ZYDIS_MNEMONIC_LEA:
		return machine_address(m, in, &in->operand[1], result);
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		return compute_extension(m, in, result);
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
		if (in->operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    in->operand[0].reg.value == in->operand[1].reg.value) {
			*result = 0;
			return true;
		}
		return compute_two(m, in, bits, result);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
		return compute_two(m, in, bits, result);
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_NOT:
		if (!operand_value(m, &in->operand[0], bits, &a))
			return false;
		*result = in->i.mnemonic == ZYDIS_MNEMONIC_INC ? a + 1 : in->i.mnemonic == ZYDIS_MNEMONIC_DEC ? a - 1 :
			  in->i.mnemonic == ZYDIS_MNEMONIC_NEG ? -a : ~a;
		return true;
	default:
		return false;
	}
}

static void forget_written(struct machine *m, const struct instruction *in)
{
	for (unsigned i = 0; i < in->i.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operand[i];
		int r;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER || !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		r = machine_register(operand->reg.value);
		if (r >= 0)
			machine_forget(m, r);
	}
}

/* push and pop move the stack pointer by what they push; what is popped is not known. */
static int stack_move(const struct instruction *in)
{
	int size = in->i.operand_width == 16 ? 2 : 8;

	switch (in->i.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return -size;
	case ZYDIS_MNEMONIC_POP:
		return size;
	default:
		return 0;
	}
}

static void forward_stack(struct machine *m, const struct instruction *in, int move)
{
	bool known = machine_knows(m, TRACE_RSP);
	uint64_t after = m->value[TRACE_RSP] + (uint64_t)(int64_t)move;
	bool popped_itself = in->i.mnemonic == ZYDIS_MNEMONIC_POP && in->operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			     machine_register(in->operand[0].reg.value) == TRACE_RSP;

	forget_written(m, in);
	if (known && !popped_itself)
		machine_set(m, TRACE_RSP, after);
}

static void forward_leave(struct machine *m)
{
	if (machine_knows(m, TRACE_RBP))
		machine_set(m, TRACE_RSP, m->value[TRACE_RBP] + 8);
	else
		machine_forget(m, TRACE_RSP);
	machine_forget(m, TRACE_RBP);
}

static void forward_exchange(struct machine *m, int a, int b)
{
	uint64_t value = m->value[a];
	bool ka = machine_knows(m, a), kb = machine_knows(m, b);

	m->value[a] = m->value[b];
	m->value[b] = value;
	machine_forget(m, a);
	machine_forget(m, b);
	m->known |= (uint16_t)((unsigned)kb << a | (unsigned)ka << b);
}

static bool is_exchange(const struct instruction *in)
{
	return in->i.mnemonic == ZYDIS_MNEMONIC_XCHG && is_register(&in->operand[0], 64) && is_register(&in->operand[1], 64);
}

/* Which of rsi and rdi a string operation moves. Zydis does not name them where they are only addresses. */
static bool moves(const struct instruction *in, int reg)
{
	ZydisRegister wanted = reg == TRACE_RSI ? ZYDIS_REGISTER_RSI : ZYDIS_REGISTER_RDI;

	for (unsigned i = 0; i < in->i.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in->operand[i];

		if ((operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.base == wanted) ||
		    (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == wanted))
			return true;
	}
	return false;
}

static bool compares(const struct instruction *in)
{
	return (in->i.mnemonic >= ZYDIS_MNEMONIC_CMPSB && in->i.mnemonic <= ZYDIS_MNEMONIC_CMPSW) ||
	       (in->i.mnemonic >= ZYDIS_MNEMONIC_SCASB && in->i.mnemonic <= ZYDIS_MNEMONIC_SCASW);
}

static void forget_string(struct machine *m, const struct instruction *in)
{
	forget_written(m, in);
	for (int reg = TRACE_RSI; reg <= TRACE_RDI; reg++)
		if (moves(in, reg))
			machine_forget(m, reg);
	if (machine_repeats(in))
		machine_forget(m, TRACE_RCX);
}

/* movs, stos, lods advance by their width; what repeats ends with rcx 0 unless a compare ends it. */
static void forward_string(struct machine *m, const struct instruction *in)
{
	struct machine before = *m;
	uint64_t width = in->i.operand_width / 8, count = 1;

	forget_string(m, in);
	if (machine_repeats(in)) {
		if (compares(in))
			return;
		machine_set(m, TRACE_RCX, 0);
		if (!machine_knows(&before, TRACE_RCX))
			return;
		count = before.value[TRACE_RCX];
	}
	if (before.backward_strings)
		width = -width;
	for (int reg = TRACE_RSI; reg <= TRACE_RDI; reg++)
		if (moves(in, reg) && machine_knows(&before, reg))
			machine_set(m, reg, before.value[reg] + width * count);
}

void machine_forward(struct machine *m, const struct instruction *in)
{
	const ZydisDecodedOperand *to = &in->operand[0];
	unsigned bits = to->size;
	uint64_t result = 0;
	bool computed;

	if (machine_is_string(in)) {
		forward_string(m, in);
	} else if (stack_move(in)) {
		forward_stack(m, in, stack_move(in));
	} else if (in->i.mnemonic == ZYDIS_MNEMONIC_LEAVE) {
		forward_leave(m);
	} else if (is_exchange(in)) {
		forward_exchange(m, machine_register(to->reg.value), machine_register(in->operand[1].reg.value));
	} else {
		computed = in->i.operand_count && (is_register(to, 64) || is_register(to, 32)) &&
			   (to->actions & ZYDIS_OPERAND_ACTION_WRITE) && compute(m, in, bits, &result);
		forget_written(m, in);
		if (computed)
			machine_set(m, machine_register(to->reg.value), bits == 32 ? result & 0xffffffff : result);
	}
}

/* ---- backward --------------------------------------------------------------------------------------- */

/* Before `mov a, b` b was what a is after it. */
static void backward_move(struct machine *after, struct machine *m, const struct instruction *in)
{
	int a, b;

	if (!is_register(&in->operand[0], 64) || !is_register(&in->operand[1], 64))
		return;
	a = machine_register(in->operand[0].reg.value);
	b = machine_register(in->operand[1].reg.value);
	if (machine_knows(after, a))
		machine_set(m, b, after->value[a]);
}

/* a = a op b: a before, from a after and b. */
static void backward_two(struct machine *after, struct machine *m, const struct instruction *in)
{
	int a = machine_register(in->operand[0].reg.value);
	uint64_t b;

	if (in->operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER && machine_register(in->operand[1].reg.value) == a)
		return;
	if (!machine_knows(after, a) || !operand_value(after, &in->operand[1], 64, &b))
		return;
	machine_set(m, a, in->i.mnemonic == ZYDIS_MNEMONIC_ADD ? after->value[a] - b :
			  in->i.mnemonic == ZYDIS_MNEMONIC_SUB ? after->value[a] + b : after->value[a] ^ b);
}

/*
 * a = base + index * scale + displacement: the one part that is unknown, if it enters once. That
 * is a itself (lea a, [a + 8]), or a base the instruction leaves as it is.
 */
static void backward_lea(struct machine *after, struct machine *m, const struct instruction *in)
{
	const ZydisDecodedOperand *from = &in->operand[1];
	int a = machine_register(in->operand[0].reg.value);
	int base = machine_register(from->mem.base), index = machine_register(from->mem.index);
	uint64_t sum;

	if (!machine_knows(after, a) || base < 0 || in->i.address_width != 64 || index == base)
		return;
	if (from->mem.index != ZYDIS_REGISTER_NONE && (index < 0 || index == a || !machine_knows(after, index)))
		return;
	sum = after->value[a] - (from->mem.disp.has_displacement ? (uint64_t)from->mem.disp.value : 0);
	if (from->mem.index != ZYDIS_REGISTER_NONE)
		sum -= after->value[index] * from->mem.scale;
	machine_set(m, base, sum);
}

static void backward_one(struct machine *after, struct machine *m, const struct instruction *in)
{
	int a = machine_register(in->operand[0].reg.value);
	uint64_t value = after->value[a];

	if (!machine_knows(after, a))
		return;
	switch (in->i.mnemonic) {
	case ZYDIS_MNEMONIC_INC: value--; break;
	case ZYDIS_MNEMONIC_DEC: value++; break;
	case ZYDIS_MNEMONIC_NEG: value = -value; break;
	default: value = ~value; break;
	}
	machine_set(m, a, value);
}

static void backward_stack(struct machine *after, struct machine *m, int move)
{
	if (machine_knows(after, TRACE_RSP))
		machine_set(m, TRACE_RSP, after->value[TRACE_RSP] - (uint64_t)(int64_t)move);
}

static void invert(struct machine *after, struct machine *m, const struct instruction *in)
{
	switch (in->i.mnemonic) {
	case ZYDIS_MNEMONIC_MOV: backward_move(after, m, in); break;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_XOR: backward_two(after, m, in); break;
	case ZYDIS_MNEMONIC_LEA: backward_lea(after, m, in); break;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_NOT: backward_one(after, m, in); break;
	default: break;
	}
}

void machine_backward(struct machine *m, const struct instruction *in)
{
	struct machine after = *m;
	bool popped_itself = in->i.mnemonic == ZYDIS_MNEMONIC_POP && in->operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			     machine_register(in->operand[0].reg.value) == TRACE_RSP;

	if (is_exchange(in)) {
		forward_exchange(m, machine_register(in->operand[0].reg.value), machine_register(in->operand[1].reg.value));
		return;
	}
	if (machine_is_string(in)) {
		forget_string(m, in);
		return;
	}
	forget_written(m, in);
	if (stack_move(in) && !popped_itself)
		backward_stack(&after, m, stack_move(in));
	else if (in->i.operand_count && is_register(&in->operand[0], 64))
		invert(&after, m, in);
}
