/*
 * new - C++ operators new and delete, all that the language has, by their mangled names.
 *
 * They forward to the next definition (libstdc++'s, tcmalloc's); a program with operators of
 * its own never comes here. Interposed for the pc of the allocation: malloc alone would only
 * see libstdc++. A C program with a C++ plugin may have no definition in sight: then malloc
 * and free, which is what libstdc++'s are.
 */
#include <stdlib.h>

#include "rt/abi/alloc.h"
#include "rt/abi/late.h"

typedef size_t align_t; /* std::align_val_t */

/* Inlined: the frame must be the operator's own. */
static inline __attribute__((always_inline)) void new_begin(uintptr_t pc)
{
	abi_inner = (struct abi_inner){ pc, (uintptr_t)__builtin_frame_address(0), false };
}

/* An allocator that does not go through malloc: tell it here. */
static void *new_end(void *block, uintptr_t pc)
{
	bool heard = abi_inner.heard;

	abi_inner.pc = 0;
	return heard ? block : abi_allocated(block, pc);
}

static inline __attribute__((always_inline)) void delete_begin(void *block, uintptr_t pc)
{
	abi_freeing(block, pc);
	abi_inner = (struct abi_inner){ pc, (uintptr_t)__builtin_frame_address(0), true };
}

static void delete_end(void)
{
	abi_inner.pc = 0;
}

static void *plain_new(size_t size, size_t alignment)
{
	if (alignment)
		return aligned_alloc(alignment, (size + alignment - 1) & -alignment);
	return malloc(size ? size : 1);
}

/* Nobody is there who could throw std::bad_alloc. */
static void *must(void *block)
{
	if (!block)
		rt_die("no memory, and no libstdc++ to say so: ", "operator new");
	return block;
}

#define NEW(name, check, alignment, parameters, ...) \
	RT_EXPORT void *name parameters; \
	RT_EXPORT void *name parameters \
	{ \
		__typeof__(&name) real = LATE(name); \
		uintptr_t pc = RT_CALLER; \
		if (!real) \
			return check(plain_new(size, alignment)); \
		if (!rt_wire || abi_inside()) \
			return real(__VA_ARGS__); \
		new_begin(pc); \
		return new_end(real(__VA_ARGS__), pc); \
	}

#define DELETE(name, parameters, ...) \
	RT_EXPORT void name parameters; \
	RT_EXPORT void name parameters \
	{ \
		__typeof__(&name) real = LATE(name); \
		bool outer = rt_wire && real && !abi_inside(); \
		if (outer) \
			delete_begin(block, RT_CALLER); \
		if (real) \
			real(__VA_ARGS__); \
		else \
			free(block); \
		if (outer) \
			delete_end(); \
	}

NEW(_Znwm, must, 0, (size_t size), size)
NEW(_Znam, must, 0, (size_t size), size)
NEW(_ZnwmRKSt9nothrow_t, , 0, (size_t size, const void *nothrow), size, nothrow)
NEW(_ZnamRKSt9nothrow_t, , 0, (size_t size, const void *nothrow), size, nothrow)
NEW(_ZnwmSt11align_val_t, must, align, (size_t size, align_t align), size, align)
NEW(_ZnamSt11align_val_t, must, align, (size_t size, align_t align), size, align)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, , align, (size_t size, align_t align, const void *nothrow),
    size, align, nothrow)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, , align, (size_t size, align_t align, const void *nothrow),
    size, align, nothrow)

DELETE(_ZdlPv, (void *block), block)
DELETE(_ZdaPv, (void *block), block)
DELETE(_ZdlPvm, (void *block, size_t size), block, size)
DELETE(_ZdaPvm, (void *block, size_t size), block, size)
DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *nothrow), block, nothrow)
DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *nothrow), block, nothrow)
DELETE(_ZdlPvSt11align_val_t, (void *block, align_t align), block, align)
DELETE(_ZdaPvSt11align_val_t, (void *block, align_t align), block, align)
DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t size, align_t align), block, size, align)
DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t size, align_t align), block, size, align)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, align_t align, const void *nothrow), block, align, nothrow)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, align_t align, const void *nothrow), block, align, nothrow)
