/*
 * registers - every access entry gives back every register: called with all general and vector
 * registers full of patterns, often enough to be patched, with the same address (a hit), a new
 * one (a miss), one another thread has just written (a conflict) and across granules. Prints
 * how many calls were made; a register that changed is named. tests/native/registers.t runs it under
 * every runtime.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GENERAL 15 /* rax rcx rdx rsi rdi rbx r8-r15 and the direction of the stack: rsp */

struct registers {
	uint64_t general[GENERAL];
	uint64_t masks[8];
	uint8_t vectors[32][64] __attribute__((aligned(64)));
};

/* The width of vectors the machine has: 0 xmm, 1 ymm, 2 zmm with masks. */
int width;
static const char *const names[] = { "rax", "rcx", "rdx", "rsi", "rdi", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
				     "r15", "rsp" };

#define ACCESS(name, size, flags) void name(void *address);
#include "rt/abi/access.def"

#define N16(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
#define N32(x) N16(x) x(16) x(17) x(18) x(19) x(20) x(21) x(22) x(23) x(24) x(25) x(26) x(27) x(28) x(29) x(30) x(31)
#define N8(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7)
#define LOAD_X(n) "movdqu 192+64*" #n "(%rax), %xmm" #n "\n"
#define LOAD_Y(n) "vmovdqu 192+64*" #n "(%rax), %ymm" #n "\n"
#define LOAD_Z(n) "vmovdqu64 192+64*" #n "(%rax), %zmm" #n "\n"
#define LOAD_K(n) "kmovq 120+8*" #n "(%rax), %k" #n "\n"
#define SAVE_X(n) "movdqu %xmm" #n ", 192+64*" #n "(%rax)\n"
#define SAVE_Y(n) "vmovdqu %ymm" #n ", 192+64*" #n "(%rax)\n"
#define SAVE_Z(n) "vmovdqu64 %zmm" #n ", 192+64*" #n "(%rax)\n"
#define SAVE_K(n) "kmovq %k" #n ", 120+8*" #n "(%rax)\n"

_Static_assert(__builtin_offsetof(struct registers, masks) == 120 && __builtin_offsetof(struct registers, vectors) == 192,
	       "as the assembler below has it");

/* call_NAME(address, from, to): load all from, call, store all to. */
#define ACCESS(name, size, flags) \
	void call_##name(void *address, const struct registers *from, struct registers *to); \
	__asm__(".text\n" \
		"call_" #name ":\n" \
		"push %rbp\nmov %rsp, %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\npush %rdx\n" \
		"mov %rsi, %rax\n" \
		"cmpl $1, width(%rip)\n" \
		"jb 1f\nja 2f\n" \
		N16(LOAD_Y) "jmp 3f\n" \
		"1:" N16(LOAD_X) "jmp 3f\n" \
		"2:" N32(LOAD_Z) N8(LOAD_K) \
		"3: mov 8(%rax), %rcx\nmov 16(%rax), %rdx\nmov 24(%rax), %rsi\n" \
		"mov 40(%rax), %rbx\nmov 48(%rax), %r8\nmov 56(%rax), %r9\nmov 64(%rax), %r10\nmov 72(%rax), %r11\n" \
		"mov 80(%rax), %r12\nmov 88(%rax), %r13\nmov 96(%rax), %r14\nmov 104(%rax), %r15\n" \
		"mov 0(%rax), %rax\n" \
		"call " #name "@PLT\n" \
		"push %rax\n" \
		"mov 8(%rsp), %rax\n" \
		"mov %rcx, 8(%rax)\nmov %rdx, 16(%rax)\nmov %rsi, 24(%rax)\nmov %rdi, 32(%rax)\n" \
		"mov %rbx, 40(%rax)\nmov %r8, 48(%rax)\nmov %r9, 56(%rax)\nmov %r10, 64(%rax)\nmov %r11, 72(%rax)\n" \
		"mov %r12, 80(%rax)\nmov %r13, 88(%rax)\nmov %r14, 96(%rax)\nmov %r15, 104(%rax)\n" \
		"pop 0(%rax)\n" \
		"lea 48(%rsp), %rcx\nsub %rbp, %rcx\nmov %rcx, 112(%rax)\n" \
		"cmpl $1, width(%rip)\n" \
		"jb 1f\nja 2f\n" \
		N16(SAVE_Y) "jmp 3f\n" \
		"1:" N16(SAVE_X) "jmp 3f\n" \
		"2:" N32(SAVE_Z) N8(SAVE_K) \
		"3: lea -40(%rbp), %rsp\npop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n" \
		".size call_" #name ", . - call_" #name "\n");
#include "rt/abi/access.def"

static const struct {
	const char *name;
	void (*call)(void *address, const struct registers *from, struct registers *to);
} calls[] = {
#define ACCESS(name, size, flags) { #name, call_##name },
#include "rt/abi/access.def"
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static __thread unsigned long made;
static unsigned long wrong;

static void fill(struct registers *r, uint64_t seed, const void *address)
{
	uint8_t *bytes = (uint8_t *)r;

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < sizeof(*r); i++)
		bytes[i] = (uint8_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 56);
	r->general[4] = (uint64_t)address;
	r->general[14] = 0;
}

static void compare(const char *name, const struct registers *a, const struct registers *b)
{
	for (int i = 0; i < GENERAL; i++)
		if (a->general[i] != b->general[i])
			wrong++, printf("%s spoils %s\n", name, names[i]);
	for (int i = 0; width == 2 && i < 8; i++)
		if (a->masks[i] != b->masks[i])
			wrong++, printf("%s spoils k%d\n", name, i);
	for (int i = 0; i < (width == 2 ? 32 : 16); i++)
		if (memcmp(a->vectors[i], b->vectors[i], 16u << width))
			wrong++, printf("%s spoils vector %d\n", name, i);
}

static void call(size_t i, void *address)
{
	static __thread struct registers before, after;

	fill(&before, ++made, address);
	memset(&after, 0, sizeof(after));
	calls[i].call(address, &before, &after);
	compare(calls[i].name, &before, &after);
}

#define ROUNDS 24
#define SHARED (ROUNDS * 64)
static char shared[SHARED] __attribute__((aligned(64)));

/* Not ordered with what main does to the same bytes afterwards: detect has a conflict at each. */
static void *other(void *nothing)
{
	for (int n = 0; n < ROUNDS; n++)
		for (size_t i = 0; i < CALLS; i++)
			call(i, shared + n * 64);
	return nothing;
}

int main(void)
{
	static char own[CALLS][ROUNDS * 64 + 64] __attribute__((aligned(64)));
	pthread_attr_t attributes;
	pthread_t id;

	__builtin_cpu_init();
	width = __builtin_cpu_supports("avx512bw") ? 2 : __builtin_cpu_supports("avx") ? 1 : 0;
	for (size_t i = 0; i < CALLS; i++)
		for (int n = 0; n < ROUNDS; n++) {
			call(i, own[i] + n * 64);      /* a miss */
			call(i, own[i] + n * 64);      /* a hit */
			call(i, own[i] + n * 64 + 13); /* over two granules */
		}
	pthread_attr_init(&attributes);
	if (pthread_create(&id, &attributes, other, NULL))
		return 2;
	for (int n = 0; n < ROUNDS; n++)
		for (size_t i = 0; i < CALLS; i++)
			call(i, shared + n * 64);
	pthread_join(id, NULL);
	printf("%s\n", wrong ? "some registers were spoiled" : made == CALLS * ROUNDS * 4 ? "all registers as before" : "lost count");
	return wrong != 0;
}
