/*
 * aligned - calls for accesses at every distance from a fetch block, by the PLT (E8) and by the GOT (FF 15), become nothing while
 * another thread exists; two of those lie with their first bytes in two blocks (rt/poke.c). Says how many of the 32 are still
 * calls, and names every register that changed on the way. tests/native/registers.t runs it under nop.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define ROUNDS 2000 /* a site is gone after its 8th visit */

extern const uint8_t sites[2][16][48]; /* each place: nops, the call, ret */
static _Alignas(16) long value;

__asm__(
".text\n"
".balign 64\n"
".globl sites\n"
"sites:\n"
".set kind, 0\n"
".rept 2\n"
".set shift, 0\n"
".rept 16\n"
"1:	.cfi_startproc\n"
"	sub	$8, %rsp\n"
"	.cfi_def_cfa_offset 16\n"
"	.skip	shift + 12, 0x90\n" /* the call begins at 16 + shift */
".if kind\n"
"	call	*__tsan_read8@GOTPCREL(%rip)\n"
".else\n"
"	call	__tsan_read8@PLT\n"
".endif\n"
"	add	$8, %rsp\n"
"	ret\n"
"	.cfi_endproc\n"
"	.skip	48 - (. - 1b), 0xcc\n"
".set shift, shift + 1\n"
".endr\n"
".set kind, 1\n"
".endr\n");

static long visit(const uint8_t *site)
{
	register uint64_t rax __asm__("rax") = 0x1111, rdx __asm__("rdx") = 0x2222, rcx __asm__("rcx") = 0x3333;
	register const void *rdi __asm__("rdi") = &value;

	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "sub $128, %%rsp\n" /* the red zone */
			 "and $-16, %%rsp\n"
			 "call *%[site]\n"
			 "mov %%rbx, %%rsp"
			 : "+r"(rax), "+r"(rdx), "+r"(rcx), "+r"(rdi)
			 : [site] "r"(site)
			 : "rbx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
	return rax == 0x1111 && rdx == 0x2222 && rcx == 0x3333 && rdi == &value;
}

static void *work(void *bad)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int kind = 0; kind < 2; kind++)
			for (int shift = 0; shift < 16; shift++)
				*(long *)bad += !visit(sites[kind][shift]);
	return NULL;
}

int main(void)
{
	long bad[2] = { 0 };
	int calls = 0;
	pthread_t other;

	if (pthread_create(&other, NULL, work, &bad[1]))
		return 2;
	work(&bad[0]);
	pthread_join(other, NULL);
	for (int shift = 0; shift < 16; shift++) {
		calls += sites[0][shift][16 + shift] == 0xe8;
		calls += sites[1][shift][16 + shift] == 0xff;
	}
	printf("%d are still calls, %ld visits came back wrong\n", calls, bad[0] + bad[1]);
	return 0;
}
