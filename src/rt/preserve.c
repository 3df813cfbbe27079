/*
 * preserve - entries that give all registers back.
 *
 * deadheat-cc tells clang and gcc that the access entries spoil nothing (src/cli/preserved.awk, kept.awk), so that
 * the code around a call needs no spills and a call that is patched away costs next to nothing.
 * The entries must keep that promise, and C cannot:
 *
 *     rt_preserve         GPRs and vectors; the exported entries, which run a few times a site
 *     rt_preserve_vectors vectors only; around libc where code of ours has saved the GPRs (detect/blob.c)
 *
 * Vectors are saved in whatever way and as far as the machine has them (xsavec, xsave, fxsave);
 * the x87 stack and the flags are not part of the promise. What a miss of the detector can reach is compiled for
 * general registers only (Makefile) and calls nothing of libc but through rt_preserve_vectors; tests/house/symbols.t
 * looks.
 *
 * I1  The frame made here is an ordinary one: rt_stack walks through it, unwinders by the CFI.
 * I2  Nothing here needs the constructor to have run: what the machine has is learned at first use.
 */
#include "rt/preserve.h"

/* SSE, AVX, and of AVX-512 the masks, upper halves and upper registers. */
#define STATES 0xe6u
#define FXSAVE_SIZE 512u
#define XSAVE_HEADER 64u

enum { WAY_UNKNOWN, WAY_FXSAVE, WAY_XSAVE, WAY_XSAVEC };

/* For the assembler below. */
struct preserve_state {
	uint32_t size;
	uint32_t mask;
	uint32_t way;
};
__attribute__((visibility("hidden"))) struct preserve_state preserve_state;
__attribute__((visibility("hidden"))) void preserve_learn(void);

struct cpuid {
	uint32_t a, b, c, d;
};

static struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
	struct cpuid r;

	__asm__ volatile("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "a"(leaf), "c"(sub));
	return r;
}

/* Where the last wanted state ends in the standard layout; the compacted one is never longer. */
static uint32_t states_end(uint32_t states)
{
	uint32_t end = FXSAVE_SIZE + XSAVE_HEADER;

	for (uint32_t i = 2; i < 32; i++) {
		struct cpuid state = states >> i & 1 ? cpuid(0xd, i) : (struct cpuid){ 0 };

		if (state.a + state.b > end)
			end = state.a + state.b;
	}
	return end;
}

static uint32_t enabled_states(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* Several threads may do it at once: all write the same; the way, which others look at, last. */
void preserve_learn(void)
{
	struct cpuid features = cpuid(1, 0), largest = cpuid(0, 0);
	uint32_t way = WAY_FXSAVE, mask = 0, size = FXSAVE_SIZE;

	if ((features.c & 1u << 27) && largest.a >= 0xd) {
		mask = enabled_states() & STATES;
		size = states_end(mask);
		way = cpuid(0xd, 1).a & 2u ? WAY_XSAVEC : WAY_XSAVE;
	}
	__atomic_store_n(&preserve_state.size, size, __ATOMIC_RELAXED);
	__atomic_store_n(&preserve_state.mask, mask, __ATOMIC_RELAXED);
	__atomic_store_n(&preserve_state.way, way, __ATOMIC_RELEASE);
}

__asm__(
".text\n"
/* r10 = the function, rdi, rsi, rdx = its arguments. */
".balign 16\n"
".globl rt_preserve_vectors\n"
".hidden rt_preserve_vectors\n"
".type rt_preserve_vectors, @function\n"
"rt_preserve_vectors:\n"
"	mov	%rdi, %r10\n"
"preserve_vectors:\n"
"	.cfi_startproc\n"
"	push	%rbp\n"
"	.cfi_def_cfa_offset 16\n"
"	.cfi_offset %rbp, -16\n"
"	mov	%rsp, %rbp\n"
"	.cfi_def_cfa_register %rbp\n"
"	push	%rbx\n"
"	.cfi_offset %rbx, -24\n"
"	mov	preserve_state+8(%rip), %ebx\n"
"	test	%ebx, %ebx\n"
"	je	9f\n"
"1:	mov	preserve_state(%rip), %eax\n"
"	sub	%rax, %rsp\n"
"	and	$-64, %rsp\n"
"	mov	%rdx, %r11\n"
"	mov	preserve_state+4(%rip), %eax\n"
"	xor	%edx, %edx\n"
"	cmp	$2, %ebx\n"
"	jb	2f\n"
"	mov	%rdx, 512(%rsp)\n"
"	mov	%rdx, 520(%rsp)\n"
"	mov	%rdx, 528(%rsp)\n"
"	mov	%rdx, 536(%rsp)\n"
"	mov	%rdx, 544(%rsp)\n"
"	mov	%rdx, 552(%rsp)\n"
"	mov	%rdx, 560(%rsp)\n"
"	mov	%rdx, 568(%rsp)\n"
"	je	3f\n"
"	xsavec64 (%rsp)\n"
"	jmp	4f\n"
"2:	fxsave64 (%rsp)\n"
"	jmp	4f\n"
"3:	xsave64	(%rsp)\n"
"4:	mov	%r11, %rdx\n"
"	call	*%r10\n"
"	mov	preserve_state+4(%rip), %eax\n"
"	xor	%edx, %edx\n"
"	cmp	$2, %ebx\n"
"	jb	5f\n"
"	xrstor64 (%rsp)\n"
"	jmp	6f\n"
"5:	fxrstor64 (%rsp)\n"
"6:	mov	-8(%rbp), %rbx\n"
"	leave\n"
"	.cfi_remember_state\n"
"	.cfi_def_cfa %rsp, 8\n"
"	ret\n"
"	.cfi_restore_state\n"
"9:	push	%rdi\n"
"	push	%rsi\n"
"	push	%rdx\n"
"	push	%r10\n"
"	sub	$8, %rsp\n"
"	call	preserve_learn\n"
"	add	$8, %rsp\n"
"	pop	%r10\n"
"	pop	%rdx\n"
"	pop	%rsi\n"
"	pop	%rdi\n"
"	mov	preserve_state+8(%rip), %ebx\n"
"	jmp	1b\n"
"	.cfi_endproc\n"
".size rt_preserve_vectors, . - rt_preserve_vectors\n"

/* From PRESERVING: rbp is the entry's frame, the program's rax lies below it, rax = the body. */
".balign 16\n"
".globl rt_preserve\n"
".hidden rt_preserve\n"
".type rt_preserve, @function\n"
"rt_preserve:\n"
"	.cfi_startproc\n"
"	.cfi_def_cfa %rbp, 16\n"
"	.cfi_offset %rbp, -16\n"
"	push	%rcx\n"
"	push	%rdx\n"
"	push	%rsi\n"
"	push	%rdi\n"
"	push	%r8\n"
"	push	%r9\n"
"	push	%r10\n"
"	push	%r11\n"
"	mov	%rax, %r10\n"
"	mov	8(%rbp), %rsi\n"
"	call	preserve_vectors\n"
"	pop	%r11\n"
"	pop	%r10\n"
"	pop	%r9\n"
"	pop	%r8\n"
"	pop	%rdi\n"
"	pop	%rsi\n"
"	pop	%rdx\n"
"	pop	%rcx\n"
"	pop	%rax\n"
"	pop	%rbp\n"
"	.cfi_def_cfa %rsp, 8\n"
"	ret\n"
"	.cfi_endproc\n"
".size rt_preserve, . - rt_preserve\n");
