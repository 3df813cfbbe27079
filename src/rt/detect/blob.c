/*
 * blob - the fast entries: "this segment has done this to these bytes already" and return.
 *
 * A call through the PLT costs more than the check, and a program lies out of reach of
 * a direct call to a shared library. So the entries are a blob of code that can be copied
 * next to every module (rt_near_copy), to which hot sites are patched (access.c).
 *
 * In the blob: first cell = (address / 2 & mask) + base, the bits to compare by a table of the sixteen
 * places in a granule, then up to four compares of a cell with the thread's key (%fs:offset). A hit in the
 * first cell takes 17 instructions, an aligned one of 16 bytes 12. An access over two granules must hit in both; its place in the table
 * holds -1, which no cell equals.
 *
 * Code that deadheat-cc made with clang counts on all registers being as before (rt/preserve.c): those used are
 * pushed and popped, which costs less than the spills they spare; a loop of hits took the same
 * time with and without, so code that does not need it (gcc) gets the same entries. A miss goes to blob_miss, which saves the rest and calls detect_miss,
 * compiled for general registers only.
 *
 * A read is also a hit where this segment has written: whoever conflicts with the read conflicts
 * with the write. That spares most records of code that reads what it wrote. It may hide the
 * read's site; the first visits of every site (access.c), lists and sites the plan watches
 * compare exactly, so cold code loses nothing and hot code at most until the second run.
 *
 * Volatile accesses have entries of their own only because a miss names its site by the flags too; where every one of
 * them is a turn (explore) their calls stay.
 *
 * I1  The template has no relocation and refers to nothing outside itself: what it needs is
 *     in the pool, filled in once before the first copy (blob_start), and the thread's key, whose
 *     offset is written into the instructions that blob_fixups lists. tests/unit/detect_rule.c
 *     runs a copy.
 * I2  The template itself is never run: it lies in read-only data.
 * I3  detect_key has all bytes and "write" set (key_shown): what counts of them, the test says.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "rt/detect/internal.h"

void detect_miss(const void *address, size_t size_and_flags, uintptr_t pc);
void blob_miss(void);

__asm__(
".pushsection .rodata.detect_blob_fixups, \"a\", @progbits\n"
"blob_fixups:\n"
".section .rodata.detect_blob, \"a\", @progbits\n"
".balign 64\n"
"blob_begin:\n"
/* The pool: the order is struct pool's. */
"blob_mask: .quad 0\n"
"blob_base: .quad 0\n"
"blob_rest: .quad 0\n"
"blob_test0: .quad 0\n"
"blob_test1: .quad 0\n"
"blob_to_miss: .quad 0\n"
".balign 64\n"
"blob_table0_1: .fill 16, 8, 0\n"
"blob_table1_1: .fill 16, 8, 0\n"
"blob_table0_2: .fill 16, 8, 0\n"
"blob_table1_2: .fill 16, 8, 0\n"
"blob_table0_4: .fill 16, 8, 0\n"
"blob_table1_4: .fill 16, 8, 0\n"
"blob_table0_8: .fill 16, 8, 0\n"
"blob_table1_8: .fill 16, 8, 0\n"
"blob_table0_16: .fill 16, 8, 0\n"
"blob_table1_16: .fill 16, 8, 0\n"

/* Where the cell differs from our key. The last four bytes of the xor are the key's offset. */
".macro BLOB_DIFFERS offset\n"
"	mov	\\offset(%rax), %rcx\n"
"	xor	%fs:0, %rcx\n"
"7:\n"
"	.pushsection .rodata.detect_blob_fixups, \"a\", @progbits\n"
"	.long	7b - blob_begin - 4\n"
"	.popsection\n"
"	test	%rdx, %rcx\n"
".endm\n"

".macro BLOB_CELL offset next\n"
"	BLOB_DIFFERS \\offset\n"
"	jne	\\next\n"
"	pop	%rdx\n"
"	pop	%rcx\n"
"	pop	%rax\n"
"	ret\n"
".endm\n"

".macro BLOB_CELL_OF_TWO offset hit\n"
"	BLOB_DIFFERS \\offset\n"
"	je	\\hit\n"
".endm\n"

/* From the first cell to the others: three times as far in their plane. */
".macro BLOB_REST\n"
"	lea	(%rax,%rax,2), %rax\n"
"	add	blob_rest(%rip), %rax\n"
".endm\n"

/* rax = the granule's first cell. */
".macro BLOB_FIRST\n"
"	mov	%rdi, %rax\n"
"	shr	%rax\n"
"	and	blob_mask(%rip), %rax\n"
"	add	blob_base(%rip), %rax\n"
".endm\n"

".macro BLOB_DIFFERENCE\n"
"	BLOB_FIRST\n"
"	mov	(%rax), %rax\n"
"	xor	%fs:0, %rax\n"
"7:\n"
"	.pushsection .rodata.detect_blob_fixups, \"a\", @progbits\n"
"	.long	7b - blob_begin - 4\n"
"	.popsection\n"
".endm\n"

/* A hit in the first cell, and return; else all three registers are pushed, rax = cells, rdx = what must be equal. */
".macro BLOB_BEGIN size write\n"
"	push	%rax\n"
"	push	%rcx\n"
"	mov	%edi, %ecx\n"
"	lea	blob_table\\write\\()_\\size(%rip), %rax\n"
"	and	$15, %ecx\n"
"	mov	(%rax,%rcx,8), %rcx\n"
"	BLOB_DIFFERENCE\n"
"	test	%rcx, %rax\n"
"	jne	1f\n"
"	pop	%rcx\n"
"	pop	%rax\n"
"	ret\n"
"1:	push	%rdx\n"
"	mov	%rcx, %rdx\n"
"	BLOB_FIRST\n"
".if \\size > 1\n"
"	cmp	$-1, %rdx\n"
"	je	8f\n"
".endif\n"
".endm\n"

/* Most are aligned, and then there is one test only. */
".macro BLOB_BEGIN_16 write\n"
"	push	%rax\n"
"	test	$15, %dil\n"
"	jne	1f\n"
"	BLOB_DIFFERENCE\n"
"	test	%rax, blob_table\\write\\()_16(%rip)\n"
"	jne	1f\n"
"	pop	%rax\n"
"	ret\n"
"1:	push	%rcx\n"
"	push	%rdx\n"
"	BLOB_FIRST\n"
"	test	$15, %dil\n"
"	jne	8f\n"
"	mov	blob_table\\write\\()_16(%rip), %rdx\n"
".endm\n"

/* flags: as blob_miss hands them on, enum access_flag. */
".macro BLOB_ENTRY name size write flags\n"
"	.balign 32\n"
"\\name:\n"
".if \\size == 16\n"
"	BLOB_BEGIN_16 \\write\n"
".else\n"
"	BLOB_BEGIN \\size \\write\n"
".endif\n"
"	BLOB_REST\n"
"	BLOB_CELL 0 2f\n"
"2:	BLOB_CELL 8 3f\n"
"3:	BLOB_CELL 16 9f\n"
".if \\size > 1\n"
/* Two granules: the first cell and our bytes wait on the stack until the first is done with. */
"8:	mov	%edi, %ecx\n"
"	and	$15, %ecx\n"
"	mov	$(((1 << \\size) - 1) << 2), %edx\n"
"	shl	%cl, %rdx\n"
"	push	%rdx\n"
"	push	%rax\n"
"	and	$0x3fffc, %edx\n"
"	or	blob_test\\write(%rip), %rdx\n"
"	BLOB_CELL_OF_TWO 0 5f\n"
"	BLOB_REST\n"
"	BLOB_CELL_OF_TWO 0 5f\n"
"	BLOB_CELL_OF_TWO 8 5f\n"
"	BLOB_CELL_OF_TWO 16 5f\n"
"	lea	16(%rsp), %rsp\n"
"	jmp	9f\n"
"5:	pop	%rax\n"
"	pop	%rdx\n"
"	shr	$16, %rdx\n"
"	and	$-4, %rdx\n"
"	or	blob_test\\write(%rip), %rdx\n"
"	BLOB_CELL 8 1f\n"
"1:	BLOB_REST\n"
"	BLOB_CELL 24 2f\n"
"2:	BLOB_CELL 32 3f\n"
"3:	BLOB_CELL 40 9f\n"
".endif\n"
"9:	mov	$(\\size + (\\flags << 8)), %eax\n"
"	jmp	*blob_to_miss(%rip)\n"
".endm\n"

".macro BLOB_SIZE size\n"
"	BLOB_ENTRY blob_read\\size \\size 0 0\n"
"	BLOB_ENTRY blob_write\\size \\size 1 1\n"
"	BLOB_ENTRY blob_volatile_read\\size \\size 0 4\n"
"	BLOB_ENTRY blob_volatile_write\\size \\size 1 5\n"
".endm\n"

"	BLOB_SIZE 1\n"
"	BLOB_SIZE 2\n"
"	BLOB_SIZE 4\n"
"	BLOB_SIZE 8\n"
"	BLOB_SIZE 16\n"
"blob_end:\n"
".section .rodata.detect_blob_fixups, \"a\", @progbits\n"
"blob_fixups_end:\n"
".popsection\n");

/*
 * The stack here:  rdx rcx rax, return address. Above them we put the other registers spoiled by
 * C and a frame of our own, made as if the site had called us directly:
 *
 *     rbp -> | rbp | pc | r11 r10 r9 r8 rdi rsi | rdx rcx rax | pc |
 */
__asm__(
".text\n"
".balign 16\n"
".globl blob_miss\n"
".hidden blob_miss\n"
".type blob_miss, @function\n"
"blob_miss:\n"
"	.cfi_startproc\n"
"	.cfi_def_cfa_offset 32\n"
"	push	%rsi\n"
"	push	%rdi\n"
"	push	%r8\n"
"	push	%r9\n"
"	push	%r10\n"
"	push	%r11\n"
"	pushq	72(%rsp)\n"
"	push	%rbp\n"
"	mov	%rsp, %rbp\n"
"	.cfi_def_cfa %rbp, 96\n"
"	.cfi_offset %rbp, -96\n"
"	mov	%eax, %esi\n"
"	mov	8(%rbp), %rdx\n"
"	call	detect_miss\n"
"	pop	%rbp\n"
"	.cfi_def_cfa %rsp, 88\n"
"	pop	%r11\n"
"	pop	%r11\n"
"	pop	%r10\n"
"	pop	%r9\n"
"	pop	%r8\n"
"	pop	%rdi\n"
"	pop	%rsi\n"
"	pop	%rdx\n"
"	pop	%rcx\n"
"	pop	%rax\n"
"	.cfi_def_cfa_offset 8\n"
"	ret\n"
"	.cfi_endproc\n"
".size blob_miss, . - blob_miss\n");

#define BLOB_LABEL(name) extern const char name[] __attribute__((visibility("hidden")))
BLOB_LABEL(blob_begin);
BLOB_LABEL(blob_end);
extern const uint32_t blob_fixups[] __attribute__((visibility("hidden")));
extern const uint32_t blob_fixups_end[] __attribute__((visibility("hidden")));

#define SIZES(x) x(1) x(2) x(4) x(8) x(16)
#define LABELS(size) \
	BLOB_LABEL(blob_read##size); \
	BLOB_LABEL(blob_write##size); \
	BLOB_LABEL(blob_volatile_read##size); \
	BLOB_LABEL(blob_volatile_write##size);
SIZES(LABELS)

struct pool {
	uint64_t mask;
	uint64_t base;
	uint64_t rest;
	uint64_t test[2]; /* what must be equal besides the bytes: read, write */
	uint64_t miss;
	uint64_t table[5][2][GRANULE] __attribute__((aligned(64))); /* by size, read and write, place */
};

static char *code; /* our copy with the pool filled in, r-x; NULL: no fast entries */

static uint64_t thread_pointer(void)
{
	uint64_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

static void fill_tables(struct pool *pool)
{
	for (unsigned size = 0; size < 5; size++)
		for (unsigned write = 0; write < 2; write++)
			for (unsigned place = 0; place < GRANULE; place++) {
				uint32_t bytes = ((1u << (1u << size)) - 1) << place;

				pool->table[size][write][place] = bytes & ~GRANULE_BYTES ? UINT64_MAX :
								  pool->test[write] | key_bytes(bytes);
			}
}

static void fill(char *copy)
{
	int32_t offset = (int32_t)((uint64_t)&detect_key - thread_pointer());
	struct pool *pool = (struct pool *)copy;

	*pool = (struct pool){
		.mask = (SPACE_MASK & -(uint64_t)GRANULE) / 2,
		.base = (uint64_t)shadow.direct,
		.rest = shadow.rest,
		.test = { KEY_SEGMENT | KEY_ATOMIC, KEY_SEGMENT | KEY_KIND },
		.miss = (uint64_t)blob_miss,
	};
	fill_tables(pool);
	for (const uint32_t *at = blob_fixups; at < blob_fixups_end; at++)
		rt_memcpy(copy + *at, &offset, sizeof(offset));
}

bool blob_start(void)
{
	size_t size = (size_t)(blob_end - blob_begin);
	char *copy;

	if (!shadow.direct)
		return true;
	copy = rt_reserve(size, false);
	if (!copy)
		return false;
	rt_memcpy(copy, blob_begin, size);
	fill(copy);
	if (rt_syscall(SYS_mprotect, copy, size, PROT_READ | PROT_EXEC) < 0) {
		rt_unreserve(copy, size);
		return false;
	}
	code = copy;
	return true;
}

static const char *template_entry(size_t size, unsigned flags)
{
	_Static_assert(ACCESS_WRITE == 1 && ACCESS_VOLATILE == 4, "the numbers in BLOB_SIZE");
#define ENTRY(n) \
	case n: \
		if (flags & ACCESS_VOLATILE) \
			return flags & ACCESS_WRITE ? blob_volatile_write##n : blob_volatile_read##n; \
		return flags & ACCESS_WRITE ? blob_write##n : blob_read##n;
	switch (size) {
	SIZES(ENTRY)
	}
	return NULL;
}

const void *blob_entry(uintptr_t pc, size_t size, unsigned flags)
{
	unsigned fit = ACCESS_WRITE | (rt_takes_turns ? 0u : ACCESS_VOLATILE);
	const char *entry = template_entry(size, flags);

	if (!code || !entry || (flags & ~fit))
		return NULL;
	return rt_near_copy(pc, code, (size_t)(blob_end - blob_begin), (size_t)(entry - blob_begin));
}
