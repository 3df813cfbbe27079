/*
 * address - getelementptr: constant steps are summed up into one IR_FIELD, each variable index
 * is one IR_INDEX that takes the constant steps before it along.
 *
 * The type is followed along the way in types[], not in LLVM's types: a struct without a name
 * is known by the field that holds it.
 */
#include <string.h>

#include "find/scan/lower/internal.h"

/* Where the walk along the indices has come to. */
struct step {
	LLVMTypeRef shape;      /* LLVM's type of what the address points to */
	uint32_t type;          /* its types[], or IR_NO */
	uint32_t in, field;     /* innermost struct entered since the last instruction, and the field */
	int64_t offset;         /* constant bytes since then */
};

/* types[] of the elements: one entry stands for an array of arrays as well. */
static uint32_t element_type(struct lower *l, uint32_t array, LLVMTypeRef element)
{
	if (array == IR_NO)
		return types_of_llvm(l, element);
	if (LLVMGetTypeKind(element) == LLVMArrayTypeKind && l->types.items[array].element != IR_NO &&
	    !l->types.items[l->types.items[array].element].element_size)
		return array;
	return l->types.items[array].element_size ? l->types.items[array].element : types_of_llvm(l, element);
}

static void enter_struct(struct lower *l, struct step *step, unsigned member)
{
	uint64_t offset = LLVMOffsetOfElement(l->layout, step->shape, member);
	uint32_t field = types_field(l, step->type, offset), inner = IR_NO;

	step->offset += (int64_t)offset;
	if (step->type != IR_NO && field != IR_NO) {
		const struct ir_field *f = &l->fields.items[l->types.items[step->type].first_field + field];

		step->in = step->type;
		step->field = field;
		if (f->offset == offset)
			inner = f->type;
	}
	step->shape = LLVMStructGetTypeAtIndex(step->shape, member);
	step->type = inner != IR_NO ? inner : types_of_llvm(l, step->shape);
}

static void enter_array(struct lower *l, struct step *step)
{
	LLVMTypeRef element = LLVMGetElementType(step->shape);

	step->type = element_type(l, step->type, element);
	step->shape = element;
}

static ir_operand emit_index(struct lower *l, struct step *step, ir_operand base, LLVMValueRef index, uint64_t stride,
			     uint16_t flags, uint32_t dst)
{
	ir_operand by = body_operand(l, index);
	struct ir_instr *instr = body_emit(l, IR_INDEX, dst);

	instr->a = base;
	instr->b = by;
	instr->size = stride > UINT32_MAX ? UINT32_MAX : (uint32_t)stride;
	instr->imm = step->offset;
	instr->type = step->in;
	instr->field = step->field;
	instr->flags = flags;
	step->offset = 0;
	step->in = step->field = IR_NO;
	return ir_make(IR_K_VALUE, dst);
}

static void emit_field(struct lower *l, struct step *step, ir_operand base, uint16_t flags, uint32_t dst)
{
	struct ir_instr *instr = body_emit(l, IR_FIELD, dst);

	instr->a = base;
	instr->imm = step->offset;
	instr->type = step->in;
	instr->field = step->field;
	instr->flags = flags;
}

static bool is_constant_index(LLVMValueRef index)
{
	return LLVMGetValueKind(index) == LLVMConstantIntValueKind;
}

/* The last index that is variable, or -1: the instruction it becomes may be the last one. */
static int last_variable(LLVMValueRef gep)
{
	int i = LLVMGetNumOperands(gep) - 1;

	while (i > 0 && is_constant_index(LLVMGetOperand(gep, (unsigned)i)))
		i--;
	return i > 0 ? i : -1;
}

/* Are the steps after index i all of no effect (and enter no struct)? */
static bool nothing_after(LLVMValueRef gep, int i)
{
	return i == LLVMGetNumOperands(gep) - 1;
}

/* types[] of what the first operand points to. A struct without a name is known by the field it was reached by. */
static uint32_t source_type(struct lower *l, LLVMValueRef gep, LLVMTypeRef source)
{
	const char *name = LLVMGetTypeKind(source) == LLVMStructTypeKind ? LLVMGetStructName(source) : "";
	uint32_t known = IR_NO;

	if (name && strstr(name, ".anon"))
		known = map_get(&l->pointee_at, (uintptr_t)LLVMGetOperand(gep, 0));
	if (known != IR_NO && !l->types.items[known].is_union && l->types.items[known].size == LLVMABISizeOfType(l->layout, source))
		return known;
	return types_of_llvm(l, source);
}

void address_lower(struct lower *l, LLVMValueRef gep)
{
	LLVMTypeRef source = LLVMGetGEPSourceElementType(gep);
	struct step step = { source, source_type(l, gep, source), IR_NO, IR_NO, 0 };
	uint16_t flags = LLVMIsInBounds(gep) ? IR_F_INBOUNDS : 0;
	ir_operand base = body_operand(l, LLVMGetOperand(gep, 0));
	int count = LLVMGetNumOperands(gep), last = last_variable(gep);
	bool fresh;

	for (int i = 1; i < count; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
		uint64_t stride;

		if (i > 1 && LLVMGetTypeKind(step.shape) == LLVMStructTypeKind) {
			enter_struct(l, &step, (unsigned)LLVMConstIntGetZExtValue(index));
			continue;
		}
		if (i > 1)
			enter_array(l, &step);
		stride = LLVMABISizeOfType(l->layout, step.shape);
		if (is_constant_index(index))
			step.offset += LLVMConstIntGetSExtValue(index) * (int64_t)stride;
		else
			base = emit_index(l, &step, base, index, stride, flags,
				i == last && nothing_after(gep, i) ? body_value(l, gep) : body_fresh(l));
	}
	if (last < 0 || !nothing_after(gep, last))
		emit_field(l, &step, base, flags, body_value(l, gep));
	if (step.type != IR_NO)
		*map_put(&l->pointee_at, (uintptr_t)gep, &fresh) = step.type;
}

bool address_constant(struct lower *l, LLVMValueRef gep, int64_t *offset)
{
	LLVMTypeRef shape = LLVMGetGEPSourceElementType(gep);
	int count = LLVMGetNumOperands(gep);

	*offset = 0;
	for (int i = 1; i < count; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);

		if (!is_constant_index(index))
			return false;
		if (i > 1 && LLVMGetTypeKind(shape) == LLVMStructTypeKind) {
			unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);

			*offset += (int64_t)LLVMOffsetOfElement(l->layout, shape, member);
			shape = LLVMStructGetTypeAtIndex(shape, member);
			continue;
		}
		if (i > 1)
			shape = LLVMGetElementType(shape);
		*offset += LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(l->layout, shape);
	}
	return true;
}
