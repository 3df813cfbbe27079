/*
 * points_to.h - what the files of points-to share; points_to.c says what it is about.
 *
 *     points_to.c          globals, functions, rounds until nothing moves
 *     points_to_instrs.c   one instruction
 *     points_to_calls.c    one call
 *     points_to_handlers.c what handlers that nobody calls by name are given (--kernel)
 *     points_to_classes.c  the classes: find, merge, fields, arrays
 *     points_to_ask.c      questions of the later passes
 */
#ifndef FIND_SCAN_POINTS_TO_H
#define FIND_SCAN_POINTS_TO_H

#include "find/scan/intern.h"

struct field {
	int64_t off;
	struct cell to;
	bool stored; /* by a plain store, memcpy: not only by thread creation */
};
struct region {
	int64_t start, end, stride;
};
struct node {
	uint32_t parent;
	uint32_t objects;
	int64_t delta;         /* offset here + delta = offset in the parent */
	int64_t modulus;       /* 0: exact */
	struct field *fields;
	uint32_t field_count, field_size;
	struct region *regions;
	uint32_t region_count;
	uint32_t *functions;
	uint32_t function_count;
	bool copied;           /* by memcpy: anything may have been stored anywhere */
	bool self;             /* unknown code had it: everything stored in it points to it */
};
struct two_cells {
	struct cell a, b;
};
struct points_to {
	VEC(struct node) nodes;
	struct cell *values;
	struct cell *globals, *functions, *varargs;
	VEC(struct two_cells) pending;
	const struct ir_instr **def;
	uint8_t *cast;          /* per value of the function at hand: 1 no address computed as an integer, 2 one; 0 not looked yet */
	size_t def_size;
	struct scan *s;
	bool changed;
	bool *due;              /* per function: one of its values got a class after it was looked at */
	bool more_functions;    /* a class got functions: calls through pointers may lead further */
	VEC(uint32_t) pointer_callers; /* functions with such calls */
	struct idle_call { uint32_t node, count; } *idle; /* per instruction: a call through a pointer that got nothing from a class with so many functions */
	struct cell fixed[64];
};

/* points_to_classes.c */
struct cell class_fresh(struct points_to *p);
struct cell class_object(struct points_to *p);
/* The representative, with the offset in it; class_find: made normal. */
struct cell class_root(struct points_to *p, struct cell c);
struct cell class_find(struct points_to *p, struct cell c);
int64_t class_normal(const struct node *n, int64_t off);
/* The pointer stored at off of a representative; made if there is none and make. */
struct field *class_field(struct points_to *p, uint32_t n, int64_t off, bool make);
/* All offsets of a representative count modulo it from now on. */
void class_modulus(struct points_to *p, uint32_t n, int64_t modulus);
void class_region(struct points_to *p, uint32_t n, struct region r);
void class_function(struct points_to *p, uint32_t n, uint32_t f);
/* Everything stored in it is it. */
void class_self(struct points_to *p, uint32_t n);
/* Two pointers may be equal; works off all that follows of it and what was pending. */
void class_unify(struct points_to *p, struct cell a, struct cell b);
struct cell class_content(struct points_to *p, struct cell at, bool stored);
/* No layout any more. */
void class_collapse(struct points_to *p, struct cell c);

/* points_to_instrs.c */
struct cell cell_of_value(struct points_to *p, uint32_t f, uint32_t v);
struct cell cell_of_function(struct points_to *p, uint32_t f);
/* None: a number. Values get a cell only if make. */
struct cell cell_of_operand(struct points_to *p, uint32_t f, ir_operand o, bool make);
/* Which instruction defines which value of f: for the visits that follow. */
void visit_define(struct points_to *p, uint32_t f);
void visit_instr(struct points_to *p, uint32_t f, const struct ir_instr *in);
void visit_function(struct points_to *p, uint32_t f);

/* points_to_handlers.c */
void points_to_handlers(struct points_to *p);

/* points_to_calls.c */
struct cell cell_of_result(struct points_to *p, uint32_t f);
void visit_call(struct points_to *p, uint32_t f, const struct ir_instr *in, bool first);

#endif
