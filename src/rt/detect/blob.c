/*
 * blob - the fast entries: "this segment has done this to these bytes already" and return.
 *
 * A call through the PLT costs more than the check, and a program lies out of reach of
 * a direct call to a shared library. So the entries are a blob of code that can be copied
 * next to every module (rt_near_copy), to which hot sites are patched (access.c).
 *
 * In the blob: key of the thread by %fs:offset, granule = (address & mask) * 3 + base, up to
 * three compares. On a miss: size and flags into %esi, jump to detect_miss, which sees the
 * site's return address as its own. Instructions on a hit in the first cell: 8 bytes 12,
 * smaller 18.
 *
 * I1  The template has no relocation and refers to nothing outside itself: what it needs is
 *     in the pool, filled in once before the first copy (blob_start). tests/unit/detect_blob.c
 *     and objdump hold this.
 * I2  The template itself is never run: it lies in read-only data.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "rt/detect/internal.h"

void detect_miss(const void *address, size_t size_and_flags);

__asm__(
".pushsection .rodata.detect_blob, \"a\", @progbits\n"
".balign 64\n"
"blob_begin:\n"
/* The pool: the order is struct pool's. */
"blob_tls:  .quad 0\n"
"blob_mask: .quad 0\n"
"blob_base: .quad 0\n"
"blob_miss: .quad 0\n"

/* edx = key, rax = cells, from the address in rdi. */
".macro BLOB_GRANULE\n"
"	mov	blob_tls(%rip), %rdx\n"
"	mov	%rdi, %rax\n"
"	and	blob_mask(%rip), %rax\n"
"	mov	%fs:(%rdx), %edx\n"
"	lea	(%rax,%rax,2), %rax\n"
"	add	blob_base(%rip), %rax\n"
".endm\n"

".macro BLOB_MISS size flags\n"
"	mov	$(\\size + (\\flags << 8)), %esi\n"
"	jmp	*blob_miss(%rip)\n"
".endm\n"

/* A whole granule, at its start: the key must be equal. */
".macro BLOB_WHOLE name flags\n"
"	.balign 32\n"
"\\name:\n"
"	BLOB_GRANULE\n"
"	test	$7, %dil\n"
"	jne	9f\n"
"	or	$(0x3fc + (\\flags << 1)), %edx\n"
"	cmp	%edx, (%rax)\n"
"	jne	1f\n"
"	ret\n"
"1:	cmp	%edx, 8(%rax)\n"
"	jne	2f\n"
"	ret\n"
"2:	cmp	%edx, 16(%rax)\n"
"	jne	9f\n"
"	ret\n"
"9:	BLOB_MISS 8 \\flags\n"
".endm\n"

/* Two whole granules. */
".macro BLOB_TWO name flags\n"
"	.balign 32\n"
"\\name:\n"
"	BLOB_GRANULE\n"
"	test	$7, %dil\n"
"	jne	9f\n"
"	or	$(0x3fc + (\\flags << 1)), %edx\n"
"	cmp	%edx, (%rax)\n"
"	je	1f\n"
"	cmp	%edx, 8(%rax)\n"
"	je	1f\n"
"	cmp	%edx, 16(%rax)\n"
"	jne	9f\n"
"1:	cmp	%edx, 24(%rax)\n"
"	jne	2f\n"
"	ret\n"
"2:	cmp	%edx, 32(%rax)\n"
"	jne	3f\n"
"	ret\n"
"3:	cmp	%edx, 40(%rax)\n"
"	jne	9f\n"
"	ret\n"
"9:	BLOB_MISS 16 \\flags\n"
".endm\n"

/* Some bytes of a granule: segment and kind equal, our bytes among the cell's. */
".macro BLOB_PART name size flags\n"
"	.balign 32\n"
"\\name:\n"
"	BLOB_GRANULE\n"
"	mov	%edi, %ecx\n"
"	mov	$(((1 << \\size) - 1) << 2), %esi\n"
"	and	$7, %ecx\n"
"	shl	%cl, %esi\n"
".if \\size > 1\n"
"	test	$0xfffffc00, %esi\n"
"	jne	9f\n"
".endif\n"
"	lea	(\\flags << 1)(%rdx,%rsi), %edx\n"
"	or	$0xfffffc03, %esi\n"
"	mov	(%rax), %ecx\n"
"	xor	%edx, %ecx\n"
"	test	%esi, %ecx\n"
"	jne	1f\n"
"	ret\n"
"1:	mov	8(%rax), %ecx\n"
"	xor	%edx, %ecx\n"
"	test	%esi, %ecx\n"
"	jne	2f\n"
"	ret\n"
"2:	mov	16(%rax), %ecx\n"
"	xor	%edx, %ecx\n"
"	test	%esi, %ecx\n"
"	jne	9f\n"
"	ret\n"
"9:	BLOB_MISS \\size \\flags\n"
".endm\n"

"	BLOB_PART blob_read1 1 0\n"
"	BLOB_PART blob_read2 2 0\n"
"	BLOB_PART blob_read4 4 0\n"
"	BLOB_WHOLE blob_read8 0\n"
"	BLOB_TWO blob_read16 0\n"
"	BLOB_PART blob_write1 1 1\n"
"	BLOB_PART blob_write2 2 1\n"
"	BLOB_PART blob_write4 4 1\n"
"	BLOB_WHOLE blob_write8 1\n"
"	BLOB_TWO blob_write16 1\n"
"blob_end:\n"
".popsection\n");

#define BLOB_LABEL(name) extern const char name[] __attribute__((visibility("hidden")))
BLOB_LABEL(blob_begin);
BLOB_LABEL(blob_end);
BLOB_LABEL(blob_read1);
BLOB_LABEL(blob_read2);
BLOB_LABEL(blob_read4);
BLOB_LABEL(blob_read8);
BLOB_LABEL(blob_read16);
BLOB_LABEL(blob_write1);
BLOB_LABEL(blob_write2);
BLOB_LABEL(blob_write4);
BLOB_LABEL(blob_write8);
BLOB_LABEL(blob_write16);

struct pool {
	uint64_t tls;
	uint64_t mask;
	uint64_t base;
	uint64_t miss;
};

static char *code; /* our copy with the pool filled in, r-x; NULL: no fast entries */

static uint64_t thread_pointer(void)
{
	uint64_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
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
	*(struct pool *)copy = (struct pool){
		.tls = (uint64_t)&detect_key - thread_pointer(),
		.mask = SPACE_MASK & -(uint64_t)GRANULE,
		.base = (uint64_t)shadow.direct,
		.miss = (uint64_t)detect_miss,
	};
	if (rt_syscall(SYS_mprotect, copy, size, PROT_READ | PROT_EXEC) < 0) {
		rt_unreserve(copy, size);
		return false;
	}
	code = copy;
	return true;
}

static const char *template_entry(size_t size, bool write)
{
	switch (size) {
	case 1: return write ? blob_write1 : blob_read1;
	case 2: return write ? blob_write2 : blob_read2;
	case 4: return write ? blob_write4 : blob_read4;
	case 8: return write ? blob_write8 : blob_read8;
	case 16: return write ? blob_write16 : blob_read16;
	}
	return NULL;
}

const void *blob_entry(uintptr_t pc, size_t size, unsigned flags)
{
	const char *entry = template_entry(size, flags & ACCESS_WRITE);

	if (!code || !entry || (flags & ~(unsigned)ACCESS_WRITE))
		return NULL;
	return rt_near_copy(pc, code, (size_t)(blob_end - blob_begin), (size_t)(entry - blob_begin));
}
