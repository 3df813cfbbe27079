/*
 * constant - every constant is an integer or an address: base + offset.
 *
 * What cannot be folded (a difference of two addresses, vectors, address arithmetic with
 * masks) keeps the first symbol it names as its base, so that the address is not lost.
 */
#include <string.h>

#include "find/scan/lower/internal.h"

static ir_operand with_offset(struct lower *l, ir_operand base, int64_t offset)
{
	if (ir_kind(base) == IR_K_CONST) {
		struct ir_constant inner = l->constants.items[ir_index(base)];

		return unit_constant(l, inner.base, inner.value + offset);
	}
	return offset ? unit_constant(l, base, offset) : base;
}

static ir_operand integer(struct lower *l, LLVMValueRef constant)
{
	if (LLVMGetIntTypeWidth(LLVMTypeOf(constant)) > 64)
		return unit_constant(l, IR_K_NONE, 0);
	return unit_constant(l, IR_K_NONE, LLVMConstIntGetSExtValue(constant));
}

static ir_operand real(struct lower *l, LLVMValueRef constant)
{
	LLVMBool loses;
	double number = LLVMConstRealGetDouble(constant, &loses);
	int64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return unit_constant(l, IR_K_NONE, bits);
}

/* The first operand that holds an address, else 0. */
static ir_operand first_symbol(struct lower *l, LLVMValueRef constant, int depth)
{
	int count = LLVMGetNumOperands(constant);

	for (int i = 0; i < count && depth < 16; i++) {
		LLVMValueRef operand = LLVMGetOperand(constant, (unsigned)i);
		ir_operand found;

		if (!LLVMIsConstant(operand) || LLVMIsABlockAddress(operand))
			continue;
		found = constant_operand(l, operand);
		if (ir_kind(found) == IR_K_GLOBAL || ir_kind(found) == IR_K_FUNC)
			return found;
		if (ir_kind(found) == IR_K_CONST && l->constants.items[ir_index(found)].base)
			return found;
	}
	return unit_constant(l, IR_K_NONE, 0);
}

static ir_operand from_integer(struct lower *l, ir_operand of)
{
	struct ir_constant inner;

	if (ir_kind(of) != IR_K_CONST)
		return of;
	inner = l->constants.items[ir_index(of)];
	if (inner.base)
		return of;
	return inner.value ? unit_constant(l, ir_make(IR_K_NULL, 0), inner.value) : ir_make(IR_K_NULL, 0);
}

static ir_operand expression(struct lower *l, LLVMValueRef constant)
{
	int64_t offset;

	switch (LLVMGetConstOpcode(constant)) {
	case LLVMGetElementPtr:
		if (!address_constant(l, constant, &offset))
			return constant_operand(l, LLVMGetOperand(constant, 0));
		return with_offset(l, constant_operand(l, LLVMGetOperand(constant, 0)), offset);
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPtrToInt:
		return constant_operand(l, LLVMGetOperand(constant, 0));
	case LLVMIntToPtr:
		return from_integer(l, constant_operand(l, LLVMGetOperand(constant, 0)));
	default:
		return first_symbol(l, constant, 0);
	}
}

ir_operand constant_operand(struct lower *l, LLVMValueRef constant)
{
	switch (LLVMGetValueKind(constant)) {
	case LLVMFunctionValueKind:
	case LLVMGlobalIFuncValueKind:
		return ir_make(IR_K_FUNC, symbols_function(l, constant));
	case LLVMGlobalVariableValueKind:
		return ir_make(IR_K_GLOBAL, map_get(&l->global_at, (uintptr_t)constant) & IR_INDEX_MASK);
	case LLVMGlobalAliasValueKind:
		return constant_operand(l, LLVMAliasGetAliasee(constant));
	case LLVMConstantIntValueKind:
		return integer(l, constant);
	case LLVMConstantFPValueKind:
		return real(l, constant);
	case LLVMConstantPointerNullValueKind:
		return ir_make(IR_K_NULL, 0);
	case LLVMUndefValueValueKind:
	case LLVMPoisonValueValueKind:
		return ir_make(IR_K_NONE, 0);
	case LLVMConstantExprValueKind:
		return expression(l, constant);
	case LLVMConstantStructValueKind:
	case LLVMConstantArrayValueKind:
	case LLVMConstantVectorValueKind:
		return first_symbol(l, constant, 0);
	default:
		return unit_constant(l, IR_K_NONE, 0);
	}
}
