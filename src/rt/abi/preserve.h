/*
 * preserve - an exported function that gives all registers back; see preserve.c.
 */
#ifndef RT_ABI_PRESERVE_H
#define RT_ABI_PRESERVE_H

#include "rt/rt.h"

/*
 * Defines the exported `void name(void *first)` as a call of `void body(void *first, uintptr_t pc)`
 * with pc the return address. body needs hidden, not static, linkage.
 */
#define PRESERVING(name, body) \
	__asm__(".text\n" \
		".balign 16\n" \
		".globl " #name "\n" \
		".type " #name ", @function\n" \
		#name ":\n" \
		"	.cfi_startproc\n" \
		"	push	%rbp\n" \
		"	.cfi_def_cfa_offset 16\n" \
		"	.cfi_offset %rbp, -16\n" \
		"	mov	%rsp, %rbp\n" \
		"	.cfi_def_cfa_register %rbp\n" \
		"	push	%rax\n" \
		"	lea	" #body "(%rip), %rax\n" \
		"	jmp	rt_preserve\n" \
		"	.cfi_endproc\n" \
		".size " #name ", . - " #name "\n")

#endif
