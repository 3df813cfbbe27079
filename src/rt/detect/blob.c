/*
 * blob - the fast entries: "this segment has done this to these bytes already" and return.
 *
 * A call through the PLT costs more than the check, and a program lies out of reach of
 * a direct call to a shared library. So the entries are a blob of code that can be copied
 * next to every module (rt_near_copy), to which hot sites are patched (access.c).
 *
 * In the blob: key of the thread by %fs:offset, granule = (address & mask) * 2 + base, up to
 * four compares. On a miss: size and flags into %esi, jump to detect_miss, which sees the
 * site's return address as its own. A hit in the first cell takes 18 instructions. An access
 * over two granules must hit in both.
 *
 * A read is also a hit where this segment has written: whoever conflicts with the read conflicts
 * with the write. That spares most records of code that reads what it wrote. It may hide the
 * read's site; the first visits of every site (access.c), lists and sites the plan watches
 * compare exactly, so cold code loses nothing and hot code at most until the second run.
 *
 * I1  The template has no relocation and refers to nothing outside itself: what it needs is
 *     in the pool, filled in once before the first copy (blob_start). tests/unit/detect_rule.c
 *     runs a copy.
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
"blob_read: .quad 0\n"
"blob_write: .quad 0\n"
"blob_miss: .quad 0\n"

/* rax = cells, rdx = key with our kind, rsi = our bytes as in a key; to 8f if beyond the granule. */
".macro BLOB_BEGIN size flags\n"
"	mov	blob_tls(%rip), %rdx\n"
"	mov	%rdi, %rax\n"
"	mov	%edi, %ecx\n"
"	and	blob_mask(%rip), %rax\n"
"	mov	%fs:(%rdx), %rdx\n"
"	and	$15, %ecx\n"
"	add	%rax, %rax\n"
"	add	blob_base(%rip), %rax\n"
"	mov	$(((1 << \\size) - 1) << 2), %esi\n"
"	shl	%cl, %rsi\n"
".if \\flags\n"
"	or	$2, %rdx\n"
".endif\n"
".if \\size == 16\n"
"	test	%ecx, %ecx\n"
"	jne	8f\n"
".elseif \\size > 1\n"
"	test	$0xfffc0000, %esi\n"
"	jne	8f\n"
".endif\n"
".endm\n"

/* Of bytes in mask: the key in r8 and, in mask itself, what must be equal. */
".macro BLOB_KEY mask flags\n"
"	lea	(%rdx,\\mask), %r8\n"
".if \\flags\n"
"	or	blob_write(%rip), \\mask\n"
".else\n"
"	or	blob_read(%rip), \\mask\n"
".endif\n"
".endm\n"

".macro BLOB_CELL offset mask next\n"
"	mov	\\offset(%rax), %r9\n"
"	xor	%r8, %r9\n"
"	test	\\mask, %r9\n"
"	jne	\\next\n"
"	ret\n"
".endm\n"

".macro BLOB_CELL_OF_TWO offset hit\n"
"	mov	\\offset(%rax), %r9\n"
"	xor	%r8, %r9\n"
"	test	%rsi, %r9\n"
"	je	\\hit\n"
".endm\n"

".macro BLOB_ENTRY name size flags\n"
"	.balign 32\n"
"\\name:\n"
"	BLOB_BEGIN \\size \\flags\n"
"	BLOB_KEY %rsi \\flags\n"
"	BLOB_CELL 0 %rsi 1f\n"
"1:	BLOB_CELL 8 %rsi 2f\n"
"2:	BLOB_CELL 16 %rsi 3f\n"
"3:	BLOB_CELL 24 %rsi 9f\n"
".if \\size > 1\n"
/* Two granules: the bytes beyond the first go to rcx. */
"8:	mov	%rsi, %rcx\n"
"	and	$0x3fffc, %esi\n"
"	shr	$16, %rcx\n"
"	and	$-4, %rcx\n"
"	BLOB_KEY %rsi \\flags\n"
"	BLOB_CELL_OF_TWO 0 5f\n"
"	BLOB_CELL_OF_TWO 8 5f\n"
"	BLOB_CELL_OF_TWO 16 5f\n"
"	BLOB_CELL_OF_TWO 24 5f\n"
"	jmp	9f\n"
"5:	BLOB_KEY %rcx \\flags\n"
"	BLOB_CELL 32 %rcx 1f\n"
"1:	BLOB_CELL 40 %rcx 2f\n"
"2:	BLOB_CELL 48 %rcx 3f\n"
"3:	BLOB_CELL 56 %rcx 9f\n"
".endif\n"
"9:	mov	$(\\size + (\\flags << 8)), %esi\n"
"	jmp	*blob_miss(%rip)\n"
".endm\n"

"	BLOB_ENTRY blob_read1 1 0\n"
"	BLOB_ENTRY blob_read2 2 0\n"
"	BLOB_ENTRY blob_read4 4 0\n"
"	BLOB_ENTRY blob_read8 8 0\n"
"	BLOB_ENTRY blob_read16 16 0\n"
"	BLOB_ENTRY blob_write1 1 1\n"
"	BLOB_ENTRY blob_write2 2 1\n"
"	BLOB_ENTRY blob_write4 4 1\n"
"	BLOB_ENTRY blob_write8 8 1\n"
"	BLOB_ENTRY blob_write16 16 1\n"
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
	uint64_t read;   /* what must be equal besides the bytes */
	uint64_t write;
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
		.read = KEY_SEGMENT | KEY_ATOMIC,
		.write = KEY_SEGMENT | KEY_KIND,
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
