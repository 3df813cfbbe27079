/*
 * debug - debug metadata through LLVM-C: most of it can only be had by position.
 *
 * The positions are LLVM's inner layout, not its interface. debug_self_test() builds a small
 * unit with known names and looks for them where we expect them, so that another LLVM gives
 * one clear line instead of wrong names.
 */
#include <string.h>

#include "base/error.h"
#include "find/scan/lower/internal.h"

static LLVMValueRef operand_value(struct lower *l, LLVMMetadataRef node, unsigned i)
{
	LLVMValueRef value = LLVMMetadataAsValue(l->context, node);

	return i < (unsigned)LLVMGetNumOperands(value) ? LLVMGetOperand(value, i) : NULL;
}

LLVMMetadataRef debug_operand(struct lower *l, LLVMMetadataRef node, unsigned i)
{
	LLVMValueRef operand = node ? operand_value(l, node, i) : NULL;

	return operand ? LLVMValueAsMetadata(operand) : NULL;
}

unsigned debug_operand_count(struct lower *l, LLVMMetadataRef node)
{
	return node ? (unsigned)LLVMGetNumOperands(LLVMMetadataAsValue(l->context, node)) : 0;
}

const char *debug_text(struct lower *l, LLVMMetadataRef node, unsigned i, size_t *length)
{
	LLVMValueRef operand = node ? operand_value(l, node, i) : NULL;
	unsigned size = 0;
	const char *text = operand && LLVMIsAMDString(operand) ? LLVMGetMDString(operand, &size) : NULL;

	*length = text ? size : 0;
	return text ? text : "";
}

/* ---- the self-test ------------------------------------------------------------------------------ */

struct probe {
	LLVMMetadataRef file, unit, integer, member, composite, subroutine, function, local, global;
};

static struct probe probe_make(LLVMDIBuilderRef builder)
{
	struct probe p;
	LLVMMetadataRef elements[1], types[2], expression;

	p.file = LLVMDIBuilderCreateFile(builder, "f.c", 3, "/d", 2);
	p.unit = LLVMDIBuilderCreateCompileUnit(builder, LLVMDWARFSourceLanguageC99, p.file, "p", 1, 1, "", 0, 0, "", 0,
		LLVMDWARFEmissionFull, 0, 0, 0, "", 0, "", 0);
	p.integer = LLVMDIBuilderCreateBasicType(builder, "int", 3, 32, 5, LLVMDIFlagZero);
	p.member = LLVMDIBuilderCreateMemberType(builder, p.file, "field", 5, p.file, 3, 32, 32, 32, LLVMDIFlagZero, p.integer);
	elements[0] = p.member;
	p.composite = LLVMDIBuilderCreateStructType(builder, p.file, "box", 3, p.file, 2, 64, 32, LLVMDIFlagZero, NULL, elements,
		1, 0, NULL, "", 0);
	types[0] = p.integer;
	types[1] = p.composite;
	p.subroutine = LLVMDIBuilderCreateSubroutineType(builder, p.file, types, 2, LLVMDIFlagZero);
	p.function = LLVMDIBuilderCreateFunction(builder, p.file, "work", 4, "work_linked", 11, p.file, 7, p.subroutine, 1, 1, 7,
		LLVMDIFlagZero, 1);
	p.local = LLVMDIBuilderCreateAutoVariable(builder, p.function, "local", 5, p.file, 8, p.composite, 1, LLVMDIFlagZero, 32);
	expression = LLVMDIBuilderCreateExpression(builder, NULL, 0);
	p.global = LLVMDIBuilderCreateGlobalVariableExpression(builder, p.file, "shared", 6, "", 0, p.file, 9, p.composite, 0,
		expression, NULL, 32);
	return p;
}

static bool text_is(struct lower *l, LLVMMetadataRef node, unsigned i, const char *wanted)
{
	size_t length;
	const char *text = debug_text(l, node, i, &length);

	return length == strlen(wanted) && !memcmp(text, wanted, length);
}

/* What is not where it should be; NULL: all is well. */
static const char *probe_check(struct lower *l, const struct probe *p)
{
	LLVMMetadataRef variable = LLVMDIGlobalVariableExpressionGetVariable(p->global);
	LLVMMetadataRef retained = debug_operand(l, p->function, DEBUG_FUNCTION_RETAINED);
	LLVMMetadataRef types = debug_operand(l, p->subroutine, DEBUG_SUBROUTINE_TYPES);
	LLVMMetadataRef globals = debug_operand(l, p->unit, DEBUG_UNIT_GLOBALS);

	if (!text_is(l, p->function, DEBUG_NAME, "work"))
		return "the name of a function";
	if (debug_operand(l, p->function, DEBUG_FUNCTION_TYPE) != p->subroutine)
		return "the type of a function";
	if (debug_operand(l, p->function, DEBUG_FUNCTION_UNIT) != p->unit)
		return "the unit of a function";
	if (debug_operand(l, p->function, DEBUG_SCOPE) != p->file)
		return "the scope of a function";
	if (!retained || debug_operand(l, retained, 0) != p->local)
		return "the variables of a function";
	if (!types || debug_operand(l, types, 1) != p->composite)
		return "the formals of a function type";
	if (!text_is(l, p->composite, DEBUG_NAME, "box") || !text_is(l, p->member, DEBUG_NAME, "field"))
		return "the name of a type";
	if (debug_operand(l, debug_operand(l, p->composite, DEBUG_COMPOSITE_ELEMENTS), 0) != p->member)
		return "the fields of a struct";
	if (debug_operand(l, p->member, DEBUG_TYPE_BASE) != p->integer)
		return "the type of a field";
	if (!text_is(l, p->local, DEBUG_VARIABLE_NAME, "local") || !text_is(l, variable, DEBUG_VARIABLE_NAME, "shared"))
		return "the name of a variable";
	if (debug_operand(l, p->local, DEBUG_VARIABLE_TYPE) != p->composite ||
	    debug_operand(l, variable, DEBUG_VARIABLE_TYPE) != p->composite)
		return "the type of a variable";
	if (!globals || debug_operand(l, globals, 0) != p->global)
		return "the globals of a unit";
	return NULL;
}

int debug_self_test(void)
{
	struct lower l = { .context = LLVMContextCreate() };
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("probe", l.context);
	LLVMDIBuilderRef builder = LLVMCreateDIBuilder(module);
	struct probe probe = probe_make(builder);
	const char *wrong;

	LLVMDIBuilderFinalize(builder);
	wrong = probe_check(&l, &probe);
	LLVMDisposeDIBuilder(builder);
	LLVMDisposeModule(module);
	LLVMContextDispose(l.context);
	if (wrong)
		return error_cannot("this LLVM keeps %s elsewhere than LLVM 19 does: build deadheat with llvm-19-dev", wrong);
	return 0;
}
