/*
 * lower - LLVM bitcode in, ir.h out. A program of its own: only it is linked against LLVM, and
 * when LLVM aborts on a broken file, only it dies.
 *
 * main.c     arguments, reading, passes, the list of steps
 * unit.c     the tables of the file being made, and writing it
 * debug.c    debug metadata by position, and the self-test that guards the positions
 * place.c    DILocation, DISubprogram, DIFile -> locations
 * types.c    DWARF's structs (or LLVM's, without -g) -> types and fields
 * symbols.c  functions, globals, aliases, constructors
 * inits.c    addresses in initialisers
 * constant.c constants folded to base + offset
 * body.c     blocks and instructions
 * address.c  getelementptr -> IR_FIELD, IR_INDEX
 * call.c     calls, intrinsics, inline assembly
 *
 * I1  A value's number is handed out when it is first named (a phi may name a later one) and
 *     made to follow the order of the instructions when the function is complete.
 * I2  Nothing of a file that cannot be lowered is written.
 */
#ifndef FIND_SCAN_LOWER_INTERNAL_H
#define FIND_SCAN_LOWER_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "find/scan/ir.h"

/* A map from a word (a pointer or a hash) to a number; no key is 0. */
struct map {
	uint64_t *keys;
	uint32_t *values;
	size_t count, size;
};
/* The place of the key's number; *fresh says whether it was put in just now (then it is IR_NO). */
uint32_t *map_put(struct map *map, uint64_t key, bool *fresh);
/* IR_NO if there is none. */
uint32_t map_get(const struct map *map, uint64_t key);
void map_free(struct map *map);

struct lower {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTargetDataRef layout;
	unsigned dbg_kind, noreturn_kind, byval_kind, elementtype_kind;
	uint32_t flags;                     /* enum ir_unit_flag */
	uint64_t hash[2];
	uint32_t source;                    /* string */

	/* the file's tables */
	struct strbuf strings;
	VEC(struct ir_constant) constants;
	VEC(struct ir_instr) instrs;
	VEC(uint32_t) extras;
	VEC(struct ir_block) blocks;
	VEC(struct ir_function) functions;
	VEC(uint32_t) formal_names;
	VEC(struct ir_global) globals;
	VEC(struct ir_init) inits;
	VEC(struct ir_type) types;
	VEC(struct ir_field) fields;
	VEC(struct ir_signature) signatures;
	VEC(struct ir_location) locations;
	VEC(struct ir_alias) aliases;

	struct map string_at, constant_at, signature_at;
	struct map function_at, global_at;  /* by LLVMValueRef */
	struct map location_at, file_at;    /* by LLVMMetadataRef */
	struct map type_at;                 /* by LLVMMetadataRef of a composite, or LLVMTypeRef */
	struct map type_named;              /* hash of LLVM's name and the size -> type, IR_NO is "not made yet" */
	struct map node_named;              /* the same hash -> index into nodes */
	struct map seen;                    /* debug nodes walked */
	VEC(LLVMMetadataRef) nodes;         /* composites that have a name */
	unsigned type_depth;                /* composites being made right now */

	/* the function being lowered */
	struct map value_at;                /* by LLVMValueRef: provisional number */
	struct map pointee_at;              /* by LLVMValueRef of an address: types[] of what is there */
	struct map block_at;
	uint32_t value_count, formal_count;
	uint32_t loc;                       /* of the instruction being lowered */
	uint32_t first_instr, first_block;
};

/* unit.c */
uint32_t unit_string(struct lower *l, const char *text, size_t length);
uint32_t unit_text(struct lower *l, const char *text);
ir_operand unit_constant(struct lower *l, ir_operand base, int64_t value);
uint32_t unit_signature(struct lower *l, LLVMTypeRef function_type);
int unit_write(struct lower *l, const char *path);
void unit_free(struct lower *l);

/* debug.c: operand i of a node; NULL if it has none. */
LLVMMetadataRef debug_operand(struct lower *l, LLVMMetadataRef node, unsigned i);
unsigned debug_operand_count(struct lower *l, LLVMMetadataRef node);
/* Operand i as text; "" if there is none. */
const char *debug_text(struct lower *l, LLVMMetadataRef node, unsigned i, size_t *length);
enum debug_position {
	DEBUG_SCOPE = 1, DEBUG_NAME = 2,               /* of a DIScope that has them */
	DEBUG_TYPE_BASE = 3, DEBUG_COMPOSITE_ELEMENTS = 4,
	DEBUG_SUBROUTINE_TYPES = 3,
	DEBUG_FUNCTION_TYPE = 4, DEBUG_FUNCTION_UNIT = 5, DEBUG_FUNCTION_RETAINED = 7,
	DEBUG_VARIABLE_NAME = 1, DEBUG_VARIABLE_TYPE = 3,
	DEBUG_UNIT_RETAINED = 5, DEBUG_UNIT_GLOBALS = 6,
};
/* 0, or -1 with a message: this LLVM lays debug metadata out in another way. */
int debug_self_test(void);

/* place.c */
uint32_t place_of_instruction(struct lower *l, LLVMValueRef instruction);
uint32_t place_of_function(struct lower *l, LLVMMetadataRef subprogram);
uint32_t place_of_variable(struct lower *l, LLVMMetadataRef variable);
uint32_t place_file(struct lower *l, LLVMMetadataRef scope_or_file);
/* Name of the function around a scope; "" outside of functions. String. */
uint32_t place_enclosing(struct lower *l, LLVMMetadataRef scope);

/* types.c */
void types_collect(struct lower *l);
/* types[] of DWARF's type with typedefs and qualifiers looked through, or IR_NO (a scalar). */
uint32_t types_of_debug(struct lower *l, LLVMMetadataRef type);
/* types[] of an LLVM struct or array, or IR_NO. */
uint32_t types_of_llvm(struct lower *l, LLVMTypeRef type);
/* The field of types[type] that holds the offset, or IR_NO. */
uint32_t types_field(const struct lower *l, uint32_t type, uint64_t offset);
/* The innermost struct and field at an offset, arrays looked through; IR_NO both if there is none. */
void types_innermost(const struct lower *l, uint32_t type, uint64_t offset, uint32_t *inner, uint32_t *field);

/* symbols.c */
void symbols_collect(struct lower *l);
void symbols_constructors(struct lower *l);
/* Number in functions[]; a function that is not in the module's list is declared. */
uint32_t symbols_function(struct lower *l, LLVMValueRef function);

/* inits.c */
void inits_collect(struct lower *l);

/* constant.c */
ir_operand constant_operand(struct lower *l, LLVMValueRef constant);

/* body.c */
void body_lower(struct lower *l, LLVMValueRef function, uint32_t index);
ir_operand body_operand(struct lower *l, LLVMValueRef value);
uint32_t body_value(struct lower *l, LLVMValueRef value);
uint32_t body_fresh(struct lower *l);
uint32_t body_block(struct lower *l, LLVMBasicBlockRef block);
/* Append; loc is filled in. The pointer is good until the next one. */
struct ir_instr *body_emit(struct lower *l, enum ir_op op, uint32_t dst);
/* dst of an instruction whose result is of some use, else IR_NO. */
uint32_t body_result(struct lower *l, LLVMValueRef instruction);
bool is_pointer(LLVMValueRef value);
uint32_t access_size(struct lower *l, LLVMTypeRef type);
/* The value that this instruction only passes on, or NULL. */
LLVMValueRef body_passed_on(LLVMValueRef instruction);

/* address.c */
void address_lower(struct lower *l, LLVMValueRef gep);
/* A constant getelementptr's offset; false: not constant. */
bool address_constant(struct lower *l, LLVMValueRef gep, int64_t *offset);

/* call.c */
void call_lower(struct lower *l, LLVMValueRef call, LLVMOpcode opcode);
/* The argument an intrinsic call passes on as it is (llvm.expect ...), or NULL. */
LLVMValueRef call_passed_on(LLVMValueRef call);

#endif
