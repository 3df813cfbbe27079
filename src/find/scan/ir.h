/*
 * ir - THE BORDER inside scan: one translation unit as the analysis sees it.
 *
 * lower/ (a program of its own, the only one linked against LLVM) writes one such file per
 * unit of bitcode, named by content hash: it is the cache. The analysis maps the file and
 * reads the arrays in place; it never sees LLVM. Everything is an index, nothing a pointer,
 * so a file means the same wherever it is mapped.
 *
 * Functions are in SSA form after mem2reg and sroa: every value is a formal or the result of
 * one instruction, numbered per function: formals first, then results in order.
 *
 * I1  Files are host-endian and of one version: another version is lowered again, not read.
 * I2  ir_open() checks every index once (a truncated or foreign file is refused with one
 *     line), so that whoever reads later need not.
 * I3  A block's instructions are consecutive and end with exactly one terminator
 *     (IR_RET, IR_BR, IR_SWITCH, IR_STOP); phis come first.
 * I4  Offset 0 of the strings is "".
 * I5  The types a type is made of (elements, fields) have smaller numbers than it.
 */
#ifndef FIND_SCAN_IR_H
#define FIND_SCAN_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IR_MAGIC 0x52494844u /* "DHIR" */
#define IR_VERSION 1u

/* ---- operands -------------------------------------------------------------------------------- */

/* An operand is 32 bits: kind in the upper 3, index below. */
typedef uint32_t ir_operand;
enum ir_kind {
	IR_K_NONE = 0,   /* undef, poison, no operand */
	IR_K_VALUE = 1,  /* formal or instruction result of this function */
	IR_K_GLOBAL = 2, /* address of globals[i] */
	IR_K_FUNC = 3,   /* address of functions[i] */
	IR_K_CONST = 4,  /* constants[i] */
	IR_K_NULL = 5,   /* null pointer; integer zero is a constant */
};
#define IR_INDEX_MASK 0x1fffffffu
static inline enum ir_kind ir_kind(ir_operand o) { return (enum ir_kind)(o >> 29); }
static inline uint32_t ir_index(ir_operand o) { return o & IR_INDEX_MASK; }
static inline ir_operand ir_make(enum ir_kind kind, uint32_t index) { return (uint32_t)kind << 29 | index; }

/* A constant: an integer, or an address inside a global or function (a folded constant GEP). */
struct ir_constant {
	ir_operand base; /* IR_K_NONE: a plain integer; IR_K_NULL: inttoptr of value */
	uint32_t zero;
	int64_t value;   /* the integer, or the byte offset from base */
};

/* ---- instructions ------------------------------------------------------------------------------ */

enum ir_op {
	IR_ALLOCA,    /* dst = address of a new stack object; type, imm = bytes (0 unknown), field = string: its name */
	IR_LOAD,      /* dst = *a;  size bytes */
	IR_STORE,     /* *a = b;    size bytes */
	IR_RMW,       /* dst = *a; *a = dst SUB b; sub is enum ir_rmw */
	IR_CMPXCHG,   /* dst = *a; if dst == b then *a = c. dst is the old value, or see IR_F_SUCCESS */
	IR_FENCE,
	IR_FIELD,     /* dst = a + imm bytes (constant GEP); type/field: innermost struct entered, or IR_NO */
	IR_INDEX,     /* dst = a + imm + b * size (variable index, size is the stride in bytes); type/field as IR_FIELD */
	IR_COPY,      /* dst = a, of `size` whole bytes: sub is enum ir_copy. Bitcasts, freeze, expect are no instruction: users name the source */
	IR_TO_INT,    /* dst = (integer)a pointer */
	IR_TO_PTR,    /* dst = (pointer)a integer */
	IR_PHI,       /* extra: pairs (block, operand) */
	IR_SELECT,    /* dst = a ? b : c */
	IR_ARITH,     /* dst = a SUB b; sub is enum ir_arith */
	IR_COMPARE,   /* dst = a SUB b; sub is enum ir_compare */
	IR_CALL,      /* dst = a(extra...); a is IR_K_FUNC, or a value: an indirect call. type = signature */
	IR_ASM,       /* dst = asm; a unused, imm = string of template, type = string of constraints;
	               * extra: pairs (operand, bytes accessed if the operand is memory, else 0) */
	IR_MEMCPY,    /* b bytes at c are copied to a; memmove likewise; imm = size if constant, else 0 */
	IR_MEMSET,    /* c bytes at a are set to b; imm as IR_MEMCPY */
	IR_EXTRACT,   /* dst = member imm of aggregate a (result of cmpxchg, asm goto, struct returned) */
	IR_OPAQUE,    /* dst = something of extra operands that is not followed (vector ops, llvm.va_start ...); imm = string: what */
	IR_RET,       /* a or IR_K_NONE; IR_F_POINTER */
	IR_BR,        /* a: condition or IR_K_NONE; extra: block if true / always, block if false */
	IR_SWITCH,    /* a; extra: default block, then pairs (constant index, block) */
	IR_STOP,      /* unreachable, resume */
	IR_OP_COUNT
};

enum ir_flag {
	IR_F_VOLATILE = 1 << 0,
	IR_F_ATOMIC = 1 << 1,    /* with order below */
	IR_F_POINTER = 1 << 2,   /* the value loaded, stored or returned is a pointer */
	IR_F_SUCCESS = 1 << 3,   /* IR_CMPXCHG: dst is {old, success} taken apart by IR_EXTRACT 0 / 1 */
	IR_F_NORETURN = 1 << 4,  /* call */
	IR_F_INVOKE = 1 << 5,    /* call with an unwind edge; the IR_BR after it has both */
	IR_F_INBOUNDS = 1 << 6,
	IR_F_TLS = 1 << 7,       /* a is the address of a thread-local global */
	IR_F_ORDER_SHIFT = 8,    /* bits 8..10: enum ir_order */
};
enum ir_order { IR_ORDER_NONE, IR_ORDER_RELAXED, IR_ORDER_ACQUIRE, IR_ORDER_RELEASE, IR_ORDER_ACQ_REL, IR_ORDER_SEQ_CST };
static inline enum ir_order ir_order_of(uint16_t flags) { return (enum ir_order)(flags >> IR_F_ORDER_SHIFT & 7); }

enum ir_copy { IR_COPY_SAME, IR_COPY_TRUNC, IR_COPY_ZEXT, IR_COPY_SEXT };
enum ir_arith { IR_A_ADD, IR_A_SUB, IR_A_MUL, IR_A_DIV, IR_A_REM, IR_A_AND, IR_A_OR, IR_A_XOR, IR_A_SHL, IR_A_SHR, IR_A_OTHER };
enum ir_compare { IR_C_EQ, IR_C_NE, IR_C_LT, IR_C_LE, IR_C_GT, IR_C_GE, IR_C_OTHER };
enum ir_rmw { IR_R_XCHG, IR_R_ADD, IR_R_SUB, IR_R_AND, IR_R_OR, IR_R_XOR, IR_R_OTHER };

#define IR_NO UINT32_MAX /* no type, no value, no function */

struct ir_instr {
	uint8_t op;        /* enum ir_op */
	uint8_t sub;
	uint16_t flags;    /* enum ir_flag */
	uint32_t dst;      /* value number, or IR_NO */
	ir_operand a, b, c;
	uint32_t loc;      /* locations[i]; 0 is "unknown" */
	uint32_t size;     /* bytes accessed; IR_CALL, IR_PHI, IR_BR, IR_SWITCH, IR_ASM, IR_OPAQUE: number of extras */
	uint32_t extra;    /* index into extras */
	uint32_t type;     /* types[i], signatures[i], strings: see enum ir_op */
	uint32_t field;    /* index of the field in types[type] */
	int64_t imm;
};

struct ir_block {
	uint32_t first, count; /* instructions */
};

/* ---- functions, globals, types ------------------------------------------------------------------- */

enum ir_linkage {
	IR_EXTERNAL,   /* defined here, one in the program */
	IR_INTERNAL,   /* static: another unit's of the same name is another */
	IR_MERGED,     /* linkonce, weak, common: copies of other units are the same */
	IR_DECLARED,   /* not here */
};

struct ir_function {
	uint32_t name;          /* string; the linker's name */
	uint32_t display;       /* string; the source's name (demangled base name for C++) */
	uint32_t loc;           /* location of its first line: the fingerprint's ordinal counts from it */
	uint32_t signature;     /* signatures[i] */
	uint32_t formal_count;
	uint32_t value_count;   /* formals included */
	uint32_t first_block, block_count; /* 0 blocks: declared only */
	uint8_t linkage;        /* enum ir_linkage */
	uint8_t variadic;
	uint8_t noreturn;
	uint8_t constructor;    /* in llvm.global_ctors */
	uint32_t first_formal;  /* formal_names[first_formal + i]: string, "" if unknown */
	uint32_t section;       /* string, "" the default (kernel: ".init.text") */
};

enum ir_global_flag {
	IR_G_CONSTANT = 1 << 0, /* never written: no race on it */
	IR_G_TLS = 1 << 1,
	IR_G_FUNCTION_STATIC = 1 << 2, /* "static int x" inside a function: scope is the function's name */
	IR_G_ZERO = 1 << 3,     /* its initialiser is all zero */
};
struct ir_global {
	uint32_t name, display, scope; /* strings; scope "" or the function */
	uint32_t loc;
	uint32_t type;          /* types[i] or IR_NO */
	uint64_t size;
	uint8_t linkage;
	uint8_t flags;
	uint16_t zero;
	uint32_t first_init, init_count; /* inits[]: the addresses its initialiser holds */
	uint32_t section;       /* string (kernel: ".data..percpu") */
};
struct ir_init {
	uint64_t offset;        /* in the global */
	ir_operand value;       /* IR_K_GLOBAL, IR_K_FUNC or IR_K_CONST with a base */
	uint32_t type, field;   /* the struct field it initialises, or IR_NO */
};

/*
 * Struct and array types, for names and for "function pointers stored in this field".
 * Types of the same name in several units are the same when size and field count agree.
 */
struct ir_type {
	uint32_t name;          /* "struct queue", "" if anonymous */
	uint32_t first_field, field_count;
	uint32_t element;       /* array: type of its elements or IR_NO */
	uint64_t size;
	uint64_t element_size;  /* array: bytes of an element; 0: no array */
	uint32_t is_union, zero;
};
enum ir_field_flag { IR_FIELD_POINTER = 1, IR_FIELD_ATOMIC = 2, IR_FIELD_VOLATILE = 4, IR_FIELD_FUNCTION = 8 };
struct ir_field {
	uint32_t name;          /* string, from DWARF; "" unknown */
	uint32_t type;          /* types[i] or IR_NO */
	uint64_t offset, size;
	uint32_t flags;
	uint32_t type_name;     /* "pthread_mutex_t", "atomic_t", "int": for models and display */
};

/*
 * Another name of a function or global of this unit (alias): units that declare it mean the target.
 */
struct ir_alias {
	uint32_t name;
	ir_operand target;      /* IR_K_FUNC, IR_K_GLOBAL or IR_K_CONST with a base */
	uint32_t linkage;
};

/*
 * A signature as one string, "l(pi.)": result, then formals; v void, b 8 bits, h 16, i 32, l 64, p pointer,
 * f float, d double, a anything else; a final '.' is variadic. Calls through pointers are narrowed by it.
 */
struct ir_signature {
	uint32_t text;
	uint32_t formal_count;
};

struct ir_location {
	uint32_t file;          /* string; absolute or as the compiler was told */
	uint32_t line, column;
	uint32_t scope;         /* function (string) where inlined or merged code came from; 0 none */
};

/* ---- the file ---------------------------------------------------------------------------------------- */

struct ir_section {
	uint64_t offset, count; /* bytes from the start, elements */
};
struct ir_header {
	uint32_t magic, version;
	uint64_t size;          /* of the file */
	uint64_t lines;         /* lines of the unit's main file (as text; the last line with code if the file is gone) */
	uint64_t hash[2];       /* of the bitcode it was made from */
	uint32_t source;        /* string: the unit's main file */
	uint32_t flags;         /* enum ir_unit_flag */
	struct ir_section strings, constants, instrs, extras, blocks, functions, formal_names, globals, inits, types,
		fields, signatures, locations, aliases;
};
enum ir_unit_flag {
	IR_UNIT_CXX = 1,
	IR_UNIT_NO_DEBUG = 2,   /* made without -g: no lines */
	IR_UNIT_MODULE_ASM = 4, /* asm at file level: an assumption */
};

/* A mapped unit. */
struct ir_unit {
	const struct ir_header *header;
	const char *strings;
	const struct ir_constant *constants;
	const struct ir_instr *instrs;
	const uint32_t *extras;
	const struct ir_block *blocks;
	const struct ir_function *functions;
	const uint32_t *formal_names;
	const struct ir_global *globals;
	const struct ir_init *inits;
	const struct ir_type *types;
	const struct ir_field *fields;
	const struct ir_signature *signatures;
	const struct ir_location *locations;
	const struct ir_alias *aliases;
	size_t mapped;          /* bytes; 0: closed */
};

/* Map and check. 0, or -1 with one line (file and reason). */
int ir_open(struct ir_unit *unit, const char *path);
void ir_close(struct ir_unit *unit);
static inline const char *ir_string(const struct ir_unit *unit, uint32_t at) { return unit->strings + at; }

/* The field of a struct that holds the byte at off; IR_NO: none. */
static inline uint32_t ir_field_at(const struct ir_unit *unit, const struct ir_type *type, int64_t off)
{
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct ir_field *field = &unit->fields[type->first_field + i];

		if (off >= (int64_t)field->offset && off < (int64_t)(field->offset + field->size))
			return i;
	}
	return IR_NO;
}

/* For people and tests: the unit as text, one instruction a line. */
struct strbuf;
void ir_print(struct strbuf *out, const struct ir_unit *unit);

#endif
