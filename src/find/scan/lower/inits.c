/* inits - which addresses a global's initialiser holds: tables of function pointers, vtables. */
#include "find/scan/lower/internal.h"

static void init_at(struct lower *l, uint32_t type, uint64_t offset, LLVMValueRef constant)
{
	LLVMTypeRef shape = LLVMTypeOf(constant);
	LLVMValueKind kind = LLVMGetValueKind(constant);
	int count = LLVMGetNumOperands(constant);
	ir_operand value;

	if (kind == LLVMConstantStructValueKind) {
		for (int i = 0; i < count; i++)
			init_at(l, type, offset + LLVMOffsetOfElement(l->layout, shape, (unsigned)i),
				LLVMGetOperand(constant, (unsigned)i));
		return;
	}
	if (kind == LLVMConstantArrayValueKind) {
		uint64_t size = LLVMABISizeOfType(l->layout, LLVMGetElementType(shape));

		for (int i = 0; i < count; i++)
			init_at(l, type, offset + size * (unsigned)i, LLVMGetOperand(constant, (unsigned)i));
		return;
	}
	value = constant_operand(l, constant);
	if (ir_kind(value) == IR_K_GLOBAL || ir_kind(value) == IR_K_FUNC ||
	    (ir_kind(value) == IR_K_CONST && ir_kind(l->constants.items[ir_index(value)].base) != IR_K_NONE &&
	     ir_kind(l->constants.items[ir_index(value)].base) != IR_K_NULL)) {
		struct ir_init init = { .offset = offset, .value = value };

		types_innermost(l, type, offset, &init.type, &init.field);
		VEC_PUSH(&l->inits, init);
	}
}

void inits_collect(struct lower *l)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
		uint32_t number = map_get(&l->global_at, (uintptr_t)g);
		LLVMValueRef initialiser = LLVMGetInitializer(g);
		uint32_t first = (uint32_t)l->inits.count;

		if (initialiser)
			init_at(l, l->globals.items[number].type, 0, initialiser);
		l->globals.items[number].first_init = first;
		l->globals.items[number].init_count = (uint32_t)l->inits.count - first;
	}
}
