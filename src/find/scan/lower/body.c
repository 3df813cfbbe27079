/*
 * body - a function's blocks and instructions.
 *
 * Values that only pass on another (bitcast, freeze, llvm.expect) are no instruction: whoever
 * uses them names the source. Numbers are provisional while the function is built (I1).
 */
#include <string.h>

#include "base/error.h"
#include "find/scan/lower/internal.h"

/* ---- values ----------------------------------------------------------------------------------------- */

uint32_t body_fresh(struct lower *l)
{
	return l->value_count++;
}

uint32_t body_value(struct lower *l, LLVMValueRef value)
{
	uint32_t *at;
	bool fresh;

	at = map_put(&l->value_at, (uintptr_t)value, &fresh);
	if (fresh)
		*at = body_fresh(l);
	return *at;
}

bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

uint32_t access_size(struct lower *l, LLVMTypeRef type)
{
	uint64_t size = LLVMTypeIsSized(type) ? LLVMStoreSizeOfType(l->layout, type) : 0;

	return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

LLVMValueRef body_passed_on(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze:
		return LLVMGetOperand(instruction, 0);
	case LLVMCall:
		return call_passed_on(instruction);
	default:
		return NULL;
	}
}

ir_operand body_operand(struct lower *l, LLVMValueRef value)
{
	LLVMValueRef source;

	while (LLVMGetValueKind(value) == LLVMInstructionValueKind && (source = body_passed_on(value)))
		value = source;
	switch (LLVMGetValueKind(value)) {
	case LLVMInstructionValueKind:
	case LLVMArgumentValueKind:
		return ir_make(IR_K_VALUE, body_value(l, value));
	case LLVMBasicBlockValueKind:
	case LLVMMetadataAsValueValueKind:
	case LLVMInlineAsmValueKind:
		return ir_make(IR_K_NONE, 0);
	default:
		return constant_operand(l, value);
	}
}

uint32_t body_result(struct lower *l, LLVMValueRef instruction)
{
	return LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMVoidTypeKind ? IR_NO : body_value(l, instruction);
}

uint32_t body_block(struct lower *l, LLVMBasicBlockRef block)
{
	return map_get(&l->block_at, (uintptr_t)block);
}

struct ir_instr *body_emit(struct lower *l, enum ir_op op, uint32_t dst)
{
	VEC_PUSH(&l->instrs, (struct ir_instr){ .op = (uint8_t)op, .dst = dst, .loc = l->loc, .type = IR_NO, .field = IR_NO,
		.extra = (uint32_t)l->extras.count });
	return &l->instrs.items[l->instrs.count - 1];
}

/* ---- memory ------------------------------------------------------------------------------------------- */

static uint16_t order_bits(LLVMAtomicOrdering order)
{
	static const uint8_t map[] = { [LLVMAtomicOrderingUnordered] = IR_ORDER_RELAXED,
		[LLVMAtomicOrderingMonotonic] = IR_ORDER_RELAXED, [LLVMAtomicOrderingAcquire] = IR_ORDER_ACQUIRE,
		[LLVMAtomicOrderingRelease] = IR_ORDER_RELEASE, [LLVMAtomicOrderingAcquireRelease] = IR_ORDER_ACQ_REL,
		[LLVMAtomicOrderingSequentiallyConsistent] = IR_ORDER_SEQ_CST };

	if (order == LLVMAtomicOrderingNotAtomic)
		return 0;
	return (uint16_t)(IR_F_ATOMIC | map[order] << IR_F_ORDER_SHIFT);
}

static uint16_t tls_bit(const struct lower *l, ir_operand address)
{
	if (ir_kind(address) == IR_K_CONST)
		address = l->constants.items[ir_index(address)].base;
	return ir_kind(address) == IR_K_GLOBAL && l->globals.items[ir_index(address)].flags & IR_G_TLS ? IR_F_TLS : 0;
}

static void lower_alloca(struct lower *l, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMGetAllocatedType(i);
	LLVMValueRef count = LLVMGetOperand(i, 0);
	uint64_t size = LLVMTypeIsSized(type) ? LLVMABISizeOfType(l->layout, type) : 0;
	uint32_t number = types_of_llvm(l, type);
	size_t length;
	const char *name = LLVMGetValueName2(i, &length), *dot = memchr(name, '.', length);
	uint32_t string = unit_string(l, name, dot ? (size_t)(dot - name) : length);
	struct ir_instr *instr = body_emit(l, IR_ALLOCA, body_value(l, i));

	instr->type = number;
	instr->field = string;
	instr->imm = LLVMGetValueKind(count) == LLVMConstantIntValueKind ?
		(int64_t)(size * LLVMConstIntGetZExtValue(count)) : 0;
}

static void lower_load(struct lower *l, LLVMValueRef i)
{
	ir_operand address = body_operand(l, LLVMGetOperand(i, 0));
	struct ir_instr *instr = body_emit(l, IR_LOAD, body_value(l, i));

	instr->a = address;
	instr->size = access_size(l, LLVMTypeOf(i));
	instr->flags = (uint16_t)(order_bits(LLVMGetOrdering(i)) | (LLVMGetVolatile(i) ? IR_F_VOLATILE : 0) |
		(is_pointer(i) ? IR_F_POINTER : 0) | tls_bit(l, address));
}

static void lower_store(struct lower *l, LLVMValueRef i)
{
	LLVMValueRef stored = LLVMGetOperand(i, 0);
	ir_operand value = body_operand(l, stored), address = body_operand(l, LLVMGetOperand(i, 1));
	struct ir_instr *instr = body_emit(l, IR_STORE, IR_NO);

	instr->a = address;
	instr->b = value;
	instr->size = access_size(l, LLVMTypeOf(stored));
	instr->flags = (uint16_t)(order_bits(LLVMGetOrdering(i)) | (LLVMGetVolatile(i) ? IR_F_VOLATILE : 0) |
		(is_pointer(stored) ? IR_F_POINTER : 0) | tls_bit(l, address));
}

static uint8_t rmw_kind(LLVMAtomicRMWBinOp op)
{
	switch (op) {
	case LLVMAtomicRMWBinOpXchg: return IR_R_XCHG;
	case LLVMAtomicRMWBinOpAdd: return IR_R_ADD;
	case LLVMAtomicRMWBinOpSub: return IR_R_SUB;
	case LLVMAtomicRMWBinOpAnd: return IR_R_AND;
	case LLVMAtomicRMWBinOpOr: return IR_R_OR;
	case LLVMAtomicRMWBinOpXor: return IR_R_XOR;
	default: return IR_R_OTHER;
	}
}

static void lower_rmw(struct lower *l, LLVMValueRef i)
{
	ir_operand address = body_operand(l, LLVMGetOperand(i, 0)), value = body_operand(l, LLVMGetOperand(i, 1));
	struct ir_instr *instr = body_emit(l, IR_RMW, body_value(l, i));

	instr->sub = rmw_kind(LLVMGetAtomicRMWBinOp(i));
	instr->a = address;
	instr->b = value;
	instr->size = access_size(l, LLVMTypeOf(i));
	instr->flags = (uint16_t)(order_bits(LLVMGetOrdering(i)) | (LLVMGetVolatile(i) ? IR_F_VOLATILE : 0) |
		(is_pointer(i) ? IR_F_POINTER : 0) | tls_bit(l, address));
}

static void lower_cmpxchg(struct lower *l, LLVMValueRef i)
{
	LLVMValueRef next = LLVMGetOperand(i, 2);
	ir_operand address = body_operand(l, LLVMGetOperand(i, 0)), old = body_operand(l, LLVMGetOperand(i, 1));
	ir_operand value = body_operand(l, next);
	struct ir_instr *instr = body_emit(l, IR_CMPXCHG, body_value(l, i));

	instr->a = address;
	instr->b = old;
	instr->c = value;
	instr->size = access_size(l, LLVMTypeOf(next));
	instr->flags = (uint16_t)(order_bits(LLVMGetCmpXchgSuccessOrdering(i)) | IR_F_SUCCESS |
		(LLVMGetVolatile(i) ? IR_F_VOLATILE : 0) | (is_pointer(next) ? IR_F_POINTER : 0) | tls_bit(l, address));
}

/* ---- plain values --------------------------------------------------------------------------------------- */

static void lower_copy(struct lower *l, LLVMValueRef i, enum ir_op op, uint8_t sub)
{
	ir_operand source = body_operand(l, LLVMGetOperand(i, 0));
	struct ir_instr *instr = body_emit(l, op, body_value(l, i));

	instr->a = source;
	instr->sub = sub;
	if (op == IR_COPY && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind)
		instr->size = LLVMGetIntTypeWidth(LLVMTypeOf(i)) / 8;
}

static void lower_binary(struct lower *l, LLVMValueRef i, enum ir_op op, uint8_t sub)
{
	ir_operand left = body_operand(l, LLVMGetOperand(i, 0)), right = body_operand(l, LLVMGetOperand(i, 1));
	struct ir_instr *instr = body_emit(l, op, body_value(l, i));

	instr->a = left;
	instr->b = right;
	instr->sub = sub;
}

static uint8_t compare_kind(LLVMIntPredicate predicate)
{
	switch (predicate) {
	case LLVMIntEQ: return IR_C_EQ;
	case LLVMIntNE: return IR_C_NE;
	case LLVMIntULT: case LLVMIntSLT: return IR_C_LT;
	case LLVMIntULE: case LLVMIntSLE: return IR_C_LE;
	case LLVMIntUGT: case LLVMIntSGT: return IR_C_GT;
	case LLVMIntUGE: case LLVMIntSGE: return IR_C_GE;
	default: return IR_C_OTHER;
	}
}

static void lower_select(struct lower *l, LLVMValueRef i)
{
	ir_operand a = body_operand(l, LLVMGetOperand(i, 0)), b = body_operand(l, LLVMGetOperand(i, 1));
	ir_operand c = body_operand(l, LLVMGetOperand(i, 2));
	struct ir_instr *instr = body_emit(l, IR_SELECT, body_value(l, i));

	instr->a = a;
	instr->b = b;
	instr->c = c;
	instr->flags = is_pointer(i) ? IR_F_POINTER : 0;
}

static void lower_phi(struct lower *l, LLVMValueRef i)
{
	unsigned count = LLVMCountIncoming(i);
	struct ir_instr *instr = body_emit(l, IR_PHI, body_value(l, i));

	instr->size = count * 2;
	instr->flags = is_pointer(i) ? IR_F_POINTER : 0;
	for (unsigned n = 0; n < count; n++) {
		VEC_PUSH(&l->extras, body_block(l, LLVMGetIncomingBlock(i, n)));
		VEC_PUSH(&l->extras, body_operand(l, LLVMGetIncomingValue(i, n)));
	}
}

static void lower_extract(struct lower *l, LLVMValueRef i)
{
	ir_operand of = body_operand(l, LLVMGetOperand(i, 0));
	struct ir_instr *instr = body_emit(l, IR_EXTRACT, body_value(l, i));

	instr->a = of;
	instr->imm = LLVMGetNumIndices(i) ? LLVMGetIndices(i)[0] : 0;
	instr->flags = is_pointer(i) ? IR_F_POINTER : 0;
}

static void lower_opaque(struct lower *l, LLVMValueRef i, const char *what)
{
	int count = LLVMGetNumOperands(i);
	struct ir_instr *instr = body_emit(l, IR_OPAQUE, body_result(l, i));

	instr->size = (uint32_t)count;
	instr->imm = unit_text(l, what);
	for (int n = 0; n < count; n++)
		VEC_PUSH(&l->extras, body_operand(l, LLVMGetOperand(i, (unsigned)n)));
}

/* ---- the end of a block ------------------------------------------------------------------------------------ */

static void lower_branch(struct lower *l, LLVMValueRef i)
{
	ir_operand condition = LLVMIsConditional(i) ? body_operand(l, LLVMGetCondition(i)) : 0;
	unsigned count = LLVMGetNumSuccessors(i);
	struct ir_instr *instr = body_emit(l, IR_BR, IR_NO);

	instr->a = condition;
	instr->size = count;
	for (unsigned n = 0; n < count; n++)
		VEC_PUSH(&l->extras, body_block(l, LLVMGetSuccessor(i, n)));
}

static void lower_switch(struct lower *l, LLVMValueRef i)
{
	int count = LLVMGetNumOperands(i);
	ir_operand condition = body_operand(l, LLVMGetOperand(i, 0));
	struct ir_instr *instr = body_emit(l, IR_SWITCH, IR_NO);

	instr->a = condition;
	instr->size = (uint32_t)count - 1;
	VEC_PUSH(&l->extras, body_block(l, LLVMGetSwitchDefaultDest(i)));
	for (int n = 2; n + 1 < count; n += 2) {
		VEC_PUSH(&l->extras, ir_index(constant_operand(l, LLVMGetOperand(i, (unsigned)n))));
		VEC_PUSH(&l->extras, body_block(l, LLVMValueAsBasicBlock(LLVMGetOperand(i, (unsigned)n + 1))));
	}
}

/* Computed goto and the end of asm goto: any of the successors. */
static void lower_anywhere(struct lower *l, LLVMValueRef i)
{
	unsigned count = LLVMGetNumSuccessors(i);
	struct ir_instr *instr;

	if (!count) {
		body_emit(l, IR_STOP, IR_NO);
		return;
	}
	instr = body_emit(l, IR_SWITCH, IR_NO);
	instr->size = count * 2 - 1;
	VEC_PUSH(&l->extras, body_block(l, LLVMGetSuccessor(i, 0)));
	for (unsigned n = 1; n < count; n++) {
		VEC_PUSH(&l->extras, ir_index(unit_constant(l, IR_K_NONE, n)));
		VEC_PUSH(&l->extras, body_block(l, LLVMGetSuccessor(i, n)));
	}
}

static void lower_return(struct lower *l, LLVMValueRef i)
{
	LLVMValueRef value = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
	ir_operand operand = value ? body_operand(l, value) : 0;
	struct ir_instr *instr = body_emit(l, IR_RET, IR_NO);

	instr->a = operand;
	instr->flags = value && is_pointer(value) ? IR_F_POINTER : 0;
}

static void lower_fence(struct lower *l, LLVMValueRef i)
{
	body_emit(l, IR_FENCE, IR_NO)->flags = order_bits(LLVMGetOrdering(i));
}

/* ---- dispatch -------------------------------------------------------------------------------------------- */

static int arith_kind(LLVMOpcode opcode)
{
	switch (opcode) {
	case LLVMAdd: return IR_A_ADD;
	case LLVMSub: return IR_A_SUB;
	case LLVMMul: return IR_A_MUL;
	case LLVMUDiv: case LLVMSDiv: return IR_A_DIV;
	case LLVMURem: case LLVMSRem: return IR_A_REM;
	case LLVMAnd: return IR_A_AND;
	case LLVMOr: return IR_A_OR;
	case LLVMXor: return IR_A_XOR;
	case LLVMShl: return IR_A_SHL;
	case LLVMLShr: case LLVMAShr: return IR_A_SHR;
	case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFRem: return IR_A_OTHER;
	default: return -1;
	}
}

/* What is not followed has a name, for the list of assumptions. */
static const char *opaque_name(LLVMOpcode opcode)
{
	switch (opcode) {
	case LLVMVAArg: return "va_arg";
	case LLVMExtractElement: return "extractelement";
	case LLVMInsertElement: return "insertelement";
	case LLVMShuffleVector: return "shufflevector";
	case LLVMInsertValue: return "insertvalue";
	case LLVMLandingPad: return "landingpad";
	case LLVMFNeg: return "fneg";
	default: return "conversion";
	}
}

static void lower_instruction(struct lower *l, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	int arith = arith_kind(opcode);

	if (arith >= 0) {
		lower_binary(l, i, IR_ARITH, (uint8_t)arith);
		return;
	}
	switch (opcode) {
	case LLVMAlloca: lower_alloca(l, i); break;
	case LLVMLoad: lower_load(l, i); break;
	case LLVMStore: lower_store(l, i); break;
	case LLVMAtomicRMW: lower_rmw(l, i); break;
	case LLVMAtomicCmpXchg: lower_cmpxchg(l, i); break;
	case LLVMFence: lower_fence(l, i); break;
	case LLVMGetElementPtr: address_lower(l, i); break;
	case LLVMTrunc: lower_copy(l, i, IR_COPY, IR_COPY_TRUNC); break;
	case LLVMZExt: lower_copy(l, i, IR_COPY, IR_COPY_ZEXT); break;
	case LLVMSExt: lower_copy(l, i, IR_COPY, IR_COPY_SEXT); break;
	case LLVMPtrToInt: lower_copy(l, i, IR_TO_INT, 0); break;
	case LLVMIntToPtr: lower_copy(l, i, IR_TO_PTR, 0); break;
	case LLVMICmp: lower_binary(l, i, IR_COMPARE, compare_kind(LLVMGetICmpPredicate(i))); break;
	case LLVMFCmp: lower_binary(l, i, IR_COMPARE, IR_C_OTHER); break;
	case LLVMPHI: lower_phi(l, i); break;
	case LLVMSelect: lower_select(l, i); break;
	case LLVMExtractValue: lower_extract(l, i); break;
	case LLVMCall: call_lower(l, i, opcode); break;
	case LLVMInvoke: call_lower(l, i, opcode); lower_branch(l, i); break;
	case LLVMCallBr: call_lower(l, i, opcode); lower_anywhere(l, i); break;
	case LLVMRet: lower_return(l, i); break;
	case LLVMBr: lower_branch(l, i); break;
	case LLVMSwitch: lower_switch(l, i); break;
	case LLVMIndirectBr: lower_anywhere(l, i); break;
	case LLVMUnreachable: case LLVMResume: body_emit(l, IR_STOP, IR_NO); break;
	case LLVMBitCast: case LLVMAddrSpaceCast: case LLVMFreeze: break; /* passed on */
	default:
		if (LLVMIsATerminatorInst(i))
			lower_anywhere(l, i);
		else
			lower_opaque(l, i, opaque_name(opcode));
	}
}

/* ---- numbering -------------------------------------------------------------------------------------------- */

static void renumber_operand(const uint32_t *number, uint32_t *operand)
{
	if (ir_kind(*operand) == IR_K_VALUE)
		*operand = ir_make(IR_K_VALUE, number[ir_index(*operand)]);
}

/* Every how many extras is one an operand, and which is the first? 0: none is. */
static unsigned extra_step(const struct ir_instr *instr, unsigned *first)
{
	*first = 0;
	switch (instr->op) {
	case IR_PHI: *first = 1; return 2;
	case IR_ASM: return 2;
	case IR_CALL: case IR_OPAQUE: return 1;
	default: return 0;
	}
}

/* Formals keep their numbers, results follow in order. */
static void renumber(struct lower *l)
{
	VEC(uint32_t) number = { 0 };
	uint32_t next = l->formal_count;

	for (uint32_t i = 0; i < l->value_count; i++)
		VEC_PUSH(&number, i < l->formal_count ? i : IR_NO);
	for (size_t i = l->first_instr; i < l->instrs.count; i++)
		if (l->instrs.items[i].dst != IR_NO) {
			number.items[l->instrs.items[i].dst] = next;
			l->instrs.items[i].dst = next++;
		}
	if (next != l->value_count)
		BUG("%u values, %u of them defined", l->value_count, next);
	for (size_t i = l->first_instr; i < l->instrs.count; i++) {
		struct ir_instr *instr = &l->instrs.items[i];
		unsigned first, step = extra_step(instr, &first);

		renumber_operand(number.items, &instr->a);
		renumber_operand(number.items, &instr->b);
		renumber_operand(number.items, &instr->c);
		for (uint32_t n = first; step && n < instr->size; n += step)
			renumber_operand(number.items, &l->extras.items[instr->extra + n]);
	}
	VEC_FREE(&number);
}

static void lower_block(struct lower *l, LLVMBasicBlockRef block)
{
	uint32_t first = (uint32_t)l->instrs.count;

	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		l->loc = place_of_instruction(l, i);
		lower_instruction(l, i);
	}
	VEC_PUSH(&l->blocks, (struct ir_block){ first, (uint32_t)l->instrs.count - first });
}

void body_lower(struct lower *l, LLVMValueRef function, uint32_t index)
{
	uint32_t blocks = 0;
	bool fresh;

	l->value_count = 0;
	l->formal_count = LLVMCountParams(function);
	l->first_instr = (uint32_t)l->instrs.count;
	l->first_block = (uint32_t)l->blocks.count;
	for (uint32_t i = 0; i < l->formal_count; i++)
		body_value(l, LLVMGetParam(function, i));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		*map_put(&l->block_at, (uintptr_t)b, &fresh) = blocks++;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		lower_block(l, b);
	renumber(l);
	l->functions.items[index].first_block = l->first_block;
	l->functions.items[index].block_count = blocks;
	l->functions.items[index].value_count = l->value_count;
}
