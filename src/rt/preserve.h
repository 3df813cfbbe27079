/*
 * preserve - functions that give registers back which C would spoil; see preserve.c.
 */
#ifndef RT_PRESERVE_H
#define RT_PRESERVE_H

#include "rt/rt.h"

/*
 * Defines the exported `void name(void *first)` as a call of `void body(void *first, uintptr_t pc)`
 * with pc the return address, and name_kept as a second name of it, by which code calls that counts on
 * the registers (cli/kept.awk). body needs hidden, not static, linkage.
 */
#define PRESERVING(name, body) \
	__asm__(".text\n" \
		".balign 16\n" \
		".globl " #name "\n" \
		".globl " #name "_kept\n" \
		".type " #name ", @function\n" \
		".type " #name "_kept, @function\n" \
		#name ":\n" \
		#name "_kept:\n" \
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
		".size " #name ", . - " #name "\n" \
		".size " #name "_kept, . - " #name "_kept\n")

/* Call what may use vector registers (libc) from where the program's must not change. */
void rt_preserve_vectors(void (*function)(void));

#endif
