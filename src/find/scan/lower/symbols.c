/* symbols - the module's functions, globals and aliases, and which functions run before main. */
#include <string.h>

#include "find/scan/lower/internal.h"

static uint8_t linkage_of(LLVMValueRef symbol)
{
	if (LLVMIsDeclaration(symbol))
		return IR_DECLARED;
	switch (LLVMGetLinkage(symbol)) {
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
		return IR_INTERNAL;
	case LLVMExternalLinkage:
	case LLVMDLLExportLinkage:
	case LLVMAppendingLinkage:
		return IR_EXTERNAL;
	default:
		return IR_MERGED;
	}
}

static uint32_t symbol_name(struct lower *l, LLVMValueRef symbol)
{
	size_t length;
	const char *name = LLVMGetValueName2(symbol, &length);

	if (length && *name == '\1') { /* an asm label: the linker's name follows */
		name++;
		length--;
	}
	return unit_string(l, name, length);
}

/* ---- functions ------------------------------------------------------------------------------------- */

static bool function_has(const struct lower *l, LLVMValueRef function, unsigned kind)
{
	(void)l;
	return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind) != NULL;
}

/* A formal's name: as the compiler left it on the value ("x", "x.coerce"), else from DWARF's list. */
static uint32_t formal_name(struct lower *l, LLVMValueRef formal, LLVMMetadataRef retained, unsigned i)
{
	size_t length;
	const char *name = LLVMGetValueName2(formal, &length), *dot;

	if (!length && i < debug_operand_count(l, retained))
		name = debug_text(l, debug_operand(l, retained, i), DEBUG_VARIABLE_NAME, &length);
	dot = memchr(name, '.', length);
	return unit_string(l, name, dot ? (size_t)(dot - name) : length);
}

static void function_add(struct lower *l, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function), retained;
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	unsigned count = LLVMCountParams(function);
	struct ir_function f = { .name = symbol_name(l, function), .linkage = linkage_of(function), .formal_count = count,
		.value_count = count, .signature = unit_signature(l, type), .variadic = (uint8_t)LLVMIsFunctionVarArg(type),
		.noreturn = function_has(l, function, l->noreturn_kind), .section = unit_text(l, LLVMGetSection(function)),
		.loc = place_of_function(l, subprogram), .first_formal = (uint32_t)l->formal_names.count };
	size_t length = 0;
	const char *display = subprogram ? debug_text(l, subprogram, DEBUG_NAME, &length) : "";
	bool fresh;

	f.display = length ? unit_string(l, display, length) : f.name;
	retained = subprogram ? debug_operand(l, subprogram, DEBUG_FUNCTION_RETAINED) : NULL;
	for (unsigned i = 0; i < count; i++)
		VEC_PUSH(&l->formal_names, formal_name(l, LLVMGetParam(function, i), retained, i));
	*map_put(&l->function_at, (uintptr_t)function, &fresh) = (uint32_t)l->functions.count;
	VEC_PUSH(&l->functions, f);
}

/* An ifunc is a function somebody else chooses: declared here, so that a model can speak for it. */
static void ifunc_add(struct lower *l, LLVMValueRef ifunc)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(ifunc);
	uint32_t name = symbol_name(l, ifunc), count = LLVMCountParamTypes(type);
	struct ir_function f = { .name = name, .display = name, .linkage = IR_DECLARED, .signature = unit_signature(l, type),
		.formal_count = count, .value_count = count, .first_formal = (uint32_t)l->formal_names.count };
	bool fresh;

	for (uint32_t i = 0; i < count; i++)
		VEC_PUSH(&l->formal_names, 0);
	*map_put(&l->function_at, (uintptr_t)ifunc, &fresh) = (uint32_t)l->functions.count;
	VEC_PUSH(&l->functions, f);
}

uint32_t symbols_function(struct lower *l, LLVMValueRef function)
{
	uint32_t known = map_get(&l->function_at, (uintptr_t)function);

	if (known != IR_NO)
		return known;
	if (LLVMGetValueKind(function) == LLVMGlobalIFuncValueKind)
		ifunc_add(l, function);
	else
		function_add(l, function); /* an intrinsic whose address is taken */
	return (uint32_t)l->functions.count - 1;
}

/* ---- globals ---------------------------------------------------------------------------------------- */

/* The DIGlobalVariable of a global, or NULL. */
static LLVMMetadataRef global_variable(struct lower *l, LLVMValueRef global)
{
	size_t count;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
	LLVMMetadataRef variable = NULL;

	for (unsigned i = 0; i < count; i++)
		if (LLVMValueMetadataEntriesGetKind(entries, i) == l->dbg_kind && !variable)
			variable = LLVMDIGlobalVariableExpressionGetVariable(LLVMValueMetadataEntriesGetMetadata(entries, i));
	LLVMDisposeValueMetadataEntries(entries);
	return variable;
}

static void global_describe(struct lower *l, struct ir_global *g, LLVMMetadataRef variable)
{
	size_t length;
	const char *name = debug_text(l, variable, DEBUG_VARIABLE_NAME, &length);
	uint32_t type = types_of_debug(l, debug_operand(l, variable, DEBUG_VARIABLE_TYPE));

	if (length)
		g->display = unit_string(l, name, length);
	if (type != IR_NO)
		g->type = type;
	g->loc = place_of_variable(l, variable);
	g->scope = place_enclosing(l, LLVMDIVariableGetScope(variable));
	if (g->scope)
		g->flags |= IR_G_FUNCTION_STATIC;
}

static void global_add(struct lower *l, LLVMValueRef global)
{
	LLVMMetadataRef variable = global_variable(l, global);
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	struct ir_global g = { .name = symbol_name(l, global), .linkage = linkage_of(global), .type = IR_NO,
		.section = unit_text(l, LLVMGetSection(global)),
		.size = LLVMTypeIsSized(type) ? LLVMABISizeOfType(l->layout, type) : 0 };
	bool fresh;

	g.display = g.name;
	if (LLVMIsGlobalConstant(global))
		g.flags |= IR_G_CONSTANT;
	if (LLVMGetInitializer(global) && LLVMIsNull(LLVMGetInitializer(global)))
		g.flags |= IR_G_ZERO;
	if (LLVMIsThreadLocal(global))
		g.flags |= IR_G_TLS;
	if (variable)
		global_describe(l, &g, variable);
	if (g.type == IR_NO)
		g.type = types_of_llvm(l, type);
	*map_put(&l->global_at, (uintptr_t)global, &fresh) = (uint32_t)l->globals.count;
	VEC_PUSH(&l->globals, g);
}

/* llvm.global_ctors, llvm.used and the like are the compiler's notes, not memory. */
static bool is_note(LLVMValueRef global)
{
	size_t length;
	const char *name = LLVMGetValueName2(global, &length);

	return length > 5 && !memcmp(name, "llvm.", 5);
}

static void alias_add(struct lower *l, LLVMValueRef alias)
{
	VEC_PUSH(&l->aliases, (struct ir_alias){ symbol_name(l, alias), constant_operand(l, alias), linkage_of(alias) });
}

void symbols_collect(struct lower *l)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMGetIntrinsicID(f))
			function_add(l, f);
	for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
		global_add(l, g);
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(l->module); a; a = LLVMGetNextGlobalAlias(a))
		alias_add(l, a);
}

void symbols_constructors(struct lower *l)
{
	LLVMValueRef list = LLVMGetNamedGlobal(l->module, "llvm.global_ctors");
	LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
	int count = entries ? LLVMGetNumOperands(entries) : 0;

	for (int i = 0; i < count; i++) {
		ir_operand function = constant_operand(l, LLVMGetOperand(LLVMGetOperand(entries, (unsigned)i), 1));

		if (ir_kind(function) == IR_K_FUNC)
			l->functions.items[ir_index(function)].constructor = 1;
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
		if (is_note(g)) /* nobody writes them */
			l->globals.items[map_get(&l->global_at, (uintptr_t)g)].flags |= IR_G_CONSTANT;
}
