/*
 * call - calls, the intrinsics that are more than a call, and inline assembly.
 *
 * A struct passed by value (byval) is copied by the call itself: here it is an alloca and a
 * copy before it, so that the callee's formal points to an object of its own.
 */
#include <string.h>

#include "find/scan/lower/internal.h"

/* ---- intrinsics ---------------------------------------------------------------------------------------- */

enum intrinsic {
	INTRINSIC_NOTHING,   /* a note of the compiler */
	INTRINSIC_PASS,      /* the first argument comes back */
	INTRINSIC_MEMCPY, INTRINSIC_MEMSET,
	INTRINSIC_TRAP,      /* does not come back */
	INTRINSIC_OTHER,
};

static const struct {
	const char *prefix;
	enum intrinsic kind;
} intrinsics[] = {
	{ "llvm.dbg.", INTRINSIC_NOTHING },
	{ "llvm.lifetime.", INTRINSIC_NOTHING },
	{ "llvm.invariant.start", INTRINSIC_OTHER },
	{ "llvm.invariant.end", INTRINSIC_NOTHING },
	{ "llvm.assume", INTRINSIC_NOTHING },
	{ "llvm.donothing", INTRINSIC_NOTHING },
	{ "llvm.sideeffect", INTRINSIC_NOTHING },
	{ "llvm.var.annotation", INTRINSIC_NOTHING },
	{ "llvm.experimental.noalias.scope.decl", INTRINSIC_NOTHING },
	{ "llvm.stackrestore", INTRINSIC_NOTHING },
	{ "llvm.prefetch", INTRINSIC_NOTHING },
	{ "llvm.pseudoprobe", INTRINSIC_NOTHING },
	{ "llvm.va_end", INTRINSIC_NOTHING },
	{ "llvm.eh.sjlj", INTRINSIC_OTHER },
	{ "llvm.expect.", INTRINSIC_PASS },
	{ "llvm.threadlocal.address", INTRINSIC_PASS },
	{ "llvm.launder.invariant.group", INTRINSIC_PASS },
	{ "llvm.strip.invariant.group", INTRINSIC_PASS },
	{ "llvm.ptr.annotation", INTRINSIC_PASS },
	{ "llvm.annotation", INTRINSIC_PASS },
	{ "llvm.ssa.copy", INTRINSIC_PASS },
	{ "llvm.ptrmask", INTRINSIC_PASS },
	{ "llvm.preserve.static.offset", INTRINSIC_PASS },
	{ "llvm.memcpy.", INTRINSIC_MEMCPY },
	{ "llvm.memmove.", INTRINSIC_MEMCPY },
	{ "llvm.memset.", INTRINSIC_MEMSET },
	{ "llvm.trap", INTRINSIC_TRAP },
	{ "llvm.ubsantrap", INTRINSIC_TRAP },
};

static enum intrinsic classify(const char *name)
{
	for (size_t i = 0; i < sizeof(intrinsics) / sizeof(intrinsics[0]); i++)
		if (!strncmp(name, intrinsics[i].prefix, strlen(intrinsics[i].prefix)))
			return intrinsics[i].kind;
	return INTRINSIC_OTHER;
}

/* The intrinsic a call calls, by name; NULL: none. */
static const char *intrinsic_name(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t length;

	if (LLVMGetValueKind(callee) != LLVMFunctionValueKind || !LLVMGetIntrinsicID(callee))
		return NULL;
	return LLVMGetValueName2(callee, &length);
}

LLVMValueRef call_passed_on(LLVMValueRef call)
{
	const char *name = intrinsic_name(call);

	return name && classify(name) == INTRINSIC_PASS ? LLVMGetOperand(call, 0) : NULL;
}

static int64_t constant_size(LLVMValueRef size)
{
	return LLVMGetValueKind(size) == LLVMConstantIntValueKind ? (int64_t)LLVMConstIntGetZExtValue(size) : 0;
}

static void lower_memory(struct lower *l, LLVMValueRef call, enum ir_op op)
{
	LLVMValueRef size = LLVMGetOperand(call, 2);
	ir_operand a = body_operand(l, LLVMGetOperand(call, 0)), second = body_operand(l, LLVMGetOperand(call, 1));
	ir_operand bytes = body_operand(l, size);
	bool is_volatile = constant_size(LLVMGetOperand(call, 3)) != 0;
	struct ir_instr *instr = body_emit(l, op, IR_NO);

	instr->a = a;
	instr->b = op == IR_MEMCPY ? bytes : second;
	instr->c = op == IR_MEMCPY ? second : bytes;
	instr->imm = constant_size(size);
	instr->size = instr->imm > UINT32_MAX ? UINT32_MAX : (uint32_t)instr->imm;
	instr->flags = is_volatile ? IR_F_VOLATILE : 0;
}

static void lower_other(struct lower *l, LLVMValueRef call, const char *name)
{
	unsigned count = LLVMGetNumArgOperands(call);
	uint32_t what = unit_text(l, name);
	struct ir_instr *instr = body_emit(l, IR_OPAQUE, body_result(l, call));

	instr->size = count;
	instr->imm = what;
	instr->flags = is_pointer(call) ? IR_F_POINTER : 0;
	for (unsigned i = 0; i < count; i++)
		VEC_PUSH(&l->extras, body_operand(l, LLVMGetOperand(call, i)));
}

static void lower_intrinsic(struct lower *l, LLVMValueRef call, const char *name)
{
	switch (classify(name)) {
	case INTRINSIC_NOTHING:
	case INTRINSIC_PASS:
	case INTRINSIC_TRAP: /* unreachable follows */
		break;
	case INTRINSIC_MEMCPY:
		lower_memory(l, call, IR_MEMCPY);
		break;
	case INTRINSIC_MEMSET:
		lower_memory(l, call, IR_MEMSET);
		break;
	case INTRINSIC_OTHER:
		lower_other(l, call, name);
		break;
	}
}

/* ---- assembly -------------------------------------------------------------------------------------------- */

/* Bytes an indirect ("*m") operand stands for: its elementtype. */
static uint32_t operand_bytes(struct lower *l, LLVMValueRef call, unsigned i)
{
	LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, l->elementtype_kind);

	return attribute ? access_size(l, LLVMGetTypeAttributeValue(attribute)) : 0;
}

static void lower_asm(struct lower *l, LLVMValueRef call)
{
	LLVMValueRef code = LLVMGetCalledValue(call);
	unsigned count = LLVMGetNumArgOperands(call);
	size_t length, constraint_length;
	const char *text = LLVMGetInlineAsmAsmString(code, &length);
	const char *constraints = LLVMGetInlineAsmConstraintString(code, &constraint_length);
	uint32_t template = unit_string(l, text, length), wanted = unit_string(l, constraints, constraint_length);
	struct ir_instr *instr = body_emit(l, IR_ASM, body_result(l, call));

	instr->imm = template;
	instr->type = wanted;
	instr->size = count * 2;
	instr->flags = (uint16_t)((LLVMGetInlineAsmHasSideEffects(code) ? IR_F_VOLATILE : 0) |
		(is_pointer(call) ? IR_F_POINTER : 0));
	for (unsigned i = 0; i < count; i++) {
		VEC_PUSH(&l->extras, body_operand(l, LLVMGetOperand(call, i)));
		VEC_PUSH(&l->extras, operand_bytes(l, call, i));
	}
}

/* ---- calls ------------------------------------------------------------------------------------------------ */

/* The argument itself, or the copy that the call makes of it. */
static ir_operand argument(struct lower *l, LLVMValueRef call, unsigned i)
{
	LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, i + 1, l->byval_kind);
	ir_operand source = body_operand(l, LLVMGetOperand(call, i)), size;
	struct ir_instr *instr;
	uint32_t copy, type;
	uint64_t bytes;

	if (!byval)
		return source;
	type = types_of_llvm(l, LLVMGetTypeAttributeValue(byval));
	bytes = LLVMABISizeOfType(l->layout, LLVMGetTypeAttributeValue(byval));
	size = unit_constant(l, IR_K_NONE, (int64_t)bytes);
	copy = body_fresh(l);
	instr = body_emit(l, IR_ALLOCA, copy);
	instr->type = type;
	instr->imm = (int64_t)bytes;
	instr->field = 0;
	instr = body_emit(l, IR_MEMCPY, IR_NO);
	instr->a = ir_make(IR_K_VALUE, copy);
	instr->b = size;
	instr->c = source;
	instr->imm = (int64_t)bytes;
	instr->size = (uint32_t)bytes;
	return ir_make(IR_K_VALUE, copy);
}

static void lower_call(struct lower *l, LLVMValueRef call, LLVMOpcode opcode)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	unsigned count = LLVMGetNumArgOperands(call);
	ir_operand target = body_operand(l, callee);
	uint32_t signature = unit_signature(l, LLVMGetCalledFunctionType(call));
	VEC(ir_operand) arguments = { 0 };
	bool noreturn = LLVMGetCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->noreturn_kind);
	struct ir_instr *instr;

	for (unsigned i = 0; i < count; i++)
		VEC_PUSH(&arguments, argument(l, call, i));
	if (ir_kind(target) == IR_K_FUNC)
		noreturn = noreturn || l->functions.items[ir_index(target)].noreturn;
	instr = body_emit(l, IR_CALL, body_result(l, call));
	instr->a = target;
	instr->type = signature;
	instr->size = count;
	instr->flags = (uint16_t)((noreturn ? IR_F_NORETURN : 0) | (opcode == LLVMInvoke ? IR_F_INVOKE : 0) |
		(is_pointer(call) ? IR_F_POINTER : 0));
	for (unsigned i = 0; i < count; i++)
		VEC_PUSH(&l->extras, arguments.items[i]);
	VEC_FREE(&arguments);
}

void call_lower(struct lower *l, LLVMValueRef call, LLVMOpcode opcode)
{
	const char *name = intrinsic_name(call);

	if (name)
		lower_intrinsic(l, call, name);
	else if (LLVMGetValueKind(LLVMGetCalledValue(call)) == LLVMInlineAsmValueKind)
		lower_asm(l, call);
	else
		lower_call(l, call, opcode);
}
