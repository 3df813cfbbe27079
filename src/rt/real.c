/*
 * real - the functions of libc behind the names we stand in for.
 *
 * Every pointer starts as a small piece of code that looks the name up at its first
 * call: other libraries' constructors run before ours and call malloc or mutexes then.
 * Our constructor looks up all the rest, so that no dlsym happens later (it takes the
 * loader's lock).
 *
 *   rt_real[i] = rt_real_boot + 8 i:   call rt_real_first        (5 bytes, then padding)
 *   rt_real_first:                     keep the arguments, i from the return address,
 *                                      rt_real_find(i), jump there
 *
 * dlsym, unlike an unversioned reference, gives the default version of a name with
 * several (pthread_cond_*: GLIBC_2.3.2): tests/house checks it.
 */
#include <dlfcn.h>

#include "rt/internal.h"

__asm__(".text\n"
	".hidden rt_real_boot\n.globl rt_real_boot\n.balign 8\nrt_real_boot:\n"
#define SYMBOL(name, kind) "\tcall rt_real_first\n\t.balign 8\n"
#include RT_INTERPOSED
#undef SYMBOL
	"rt_real_first:\n"
	"\tpushq %rax\n\tpushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\tpushq %rcx\n\tpushq %r8\n\tpushq %r9\n"
	"\tsubq $136, %rsp\n"
	"\tmovups %xmm0, (%rsp)\n\tmovups %xmm1, 16(%rsp)\n\tmovups %xmm2, 32(%rsp)\n\tmovups %xmm3, 48(%rsp)\n"
	"\tmovups %xmm4, 64(%rsp)\n\tmovups %xmm5, 80(%rsp)\n\tmovups %xmm6, 96(%rsp)\n\tmovups %xmm7, 112(%rsp)\n"
	"\tmovq 192(%rsp), %rdi\n"          /* return address of the call in rt_real_boot */
	"\tleaq rt_real_boot+5(%rip), %rax\n"
	"\tsubq %rax, %rdi\n\tshrq $3, %rdi\n"
	"\tcall rt_real_find\n"
	"\tmovq %rax, %r11\n"
	"\tmovups (%rsp), %xmm0\n\tmovups 16(%rsp), %xmm1\n\tmovups 32(%rsp), %xmm2\n\tmovups 48(%rsp), %xmm3\n"
	"\tmovups 64(%rsp), %xmm4\n\tmovups 80(%rsp), %xmm5\n\tmovups 96(%rsp), %xmm6\n\tmovups 112(%rsp), %xmm7\n"
	"\taddq $136, %rsp\n"
	"\tpopq %r9\n\tpopq %r8\n\tpopq %rcx\n\tpopq %rdx\n\tpopq %rsi\n\tpopq %rdi\n\tpopq %rax\n"
	"\taddq $8, %rsp\n"
	"\tjmp *%r11\n");

extern char rt_real_boot[] __attribute__((visibility("hidden")));

void *rt_real[REAL_COUNT] = {
#define SYMBOL(name, kind) [REAL_##name] = rt_real_boot + 8 * REAL_##name,
#include RT_INTERPOSED
#undef SYMBOL
};

static const char *const names[REAL_COUNT] = {
#define SYMBOL(name, kind) [REAL_##name] = #name,
#include RT_INTERPOSED
#undef SYMBOL
};

/* A dlsym that failed left its error text to the next one, which frees it first: before that is known. */
static void leak(void *block)
{
	(void)block;
}

static bool is_allocator(size_t index)
{
	return index == REAL_malloc || index == REAL_free || index == REAL_calloc || index == REAL_realloc ||
	       index == REAL_posix_memalign || index == REAL_aligned_alloc || index == REAL_memalign;
}

/*
 * Before our constructor. dlsym is avoided where possible: it frees the text of the last error
 * first, and an allocator called there may be the one that asks (AddressSanitizer linked into the
 * program starts before us): the text would be freed twice. Only the allocator itself must be the
 * next one, whoever that is: its blocks are given back to it.
 */
void *rt_real_find(size_t index);
void *rt_real_find(size_t index)
{
	static RT_TLS volatile bool inside; /* dlsym is declared a leaf: gcc would take it that nobody comes back here */
	void *function;

	if (inside && index == REAL_free)
		return (void *)leak;
	function = is_allocator(index) ? NULL : rt_libc_find(names[index]);
	if (function)
		return function; /* not kept: somebody may stand before libc */
	inside = true;
	function = dlsym(RTLD_NEXT, names[index]);
	inside = false;
	if (!function)
		rt_die("this libc has no ", names[index]);
	__atomic_store_n(&rt_real[index], function, __ATOMIC_RELAXED);
	return function;
}

/*
 * A name this libc lacks keeps its boot code: it only matters if it is called. The allocator
 * comes first: dlsym uses it where it fails.
 */
void rt_real_start(void)
{
	static const uint16_t first[] = { REAL_free, REAL_malloc, REAL_calloc, REAL_realloc };

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		rt_real_find(first[i]);
	for (size_t i = 0; i < REAL_COUNT; i++) {
		void *function = dlsym(RTLD_NEXT, names[i]);

		if (function)
			__atomic_store_n(&rt_real[i], function, __ATOMIC_RELAXED);
	}
	dlerror(); /* what was missing is not the program's concern */
}
