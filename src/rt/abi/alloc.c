/*
 * alloc - malloc and its kin: where heap variables begin and end.
 *
 * A block is told with its usable size, since that is what free can ask for. The end is told
 * before the block is given back (rt.h): afterwards it may already be someone else's.
 * realloc is a free and a malloc: a write to all of the old block, and new variables, also
 * where it stays in place. When it fails the old block begins anew: its past is ordered
 * before us or has just been reported.
 */
#include <malloc.h>
#include <stdlib.h>

#include "rt/abi/alloc.h"

RT_TLS struct abi_inner abi_inner;

void *abi_allocated(void *block, uintptr_t pc)
{
	if (block && rt_wire) {
		if (abi_inside()) {
			pc = abi_inner.pc;
			abi_inner.heard = true;
		}
		TELL(rt_on_alloc(block, REAL(malloc_usable_size)(block), pc));
	}
	return block;
}

void abi_freeing(void *block, uintptr_t pc)
{
	size_t size;

	if (!block || !rt_wire)
		return;
	if (abi_inside()) {
		if (abi_inner.heard)
			return;
		abi_inner.heard = true;
		pc = abi_inner.pc;
	}
	size = REAL(malloc_usable_size)(block);
	rt_turn_access(block, size, ACCESS_WRITE | ACCESS_FREE, pc);
	TELL(rt_on_free(block, size, pc));
}

RT_EXPORT void *malloc(size_t size)
{
	if (!rt_wire)
		return REAL(malloc)(size);
	return abi_allocated(REAL(malloc)(size), RT_CALLER);
}

RT_EXPORT void *calloc(size_t count, size_t size)
{
	if (!rt_wire)
		return REAL(calloc)(count, size);
	return abi_allocated(REAL(calloc)(count, size), RT_CALLER);
}

RT_EXPORT void free(void *block)
{
	if (rt_wire)
		abi_freeing(block, RT_CALLER);
	REAL(free)(block);
}

/* size 0 frees and returns NULL: that is no failure. */
static void *moved(void *old, void *new, bool freed, uintptr_t pc)
{
	if (new || freed)
		return abi_allocated(new, pc);
	abi_allocated(old, pc);
	return NULL;
}

RT_EXPORT void *realloc(void *block, size_t size)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire)
		return REAL(realloc)(block, size);
	abi_freeing(block, pc);
	return moved(block, REAL(realloc)(block, size), block && !size, pc);
}

RT_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire)
		return REAL(reallocarray)(block, count, size);
	abi_freeing(block, pc);
	return moved(block, REAL(reallocarray)(block, count, size), block && (!size || !count), pc);
}

RT_EXPORT int posix_memalign(void **place, size_t alignment, size_t size)
{
	int result = REAL(posix_memalign)(place, alignment, size);

	if (rt_wire && result == 0)
		abi_allocated(*place, RT_CALLER);
	return result;
}

RT_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return abi_allocated(REAL(aligned_alloc)(alignment, size), RT_CALLER);
}

RT_EXPORT void *memalign(size_t alignment, size_t size)
{
	return abi_allocated(REAL(memalign)(alignment, size), RT_CALLER);
}

RT_EXPORT void *valloc(size_t size)
{
	return abi_allocated(REAL(valloc)(size), RT_CALLER);
}

RT_EXPORT void *pvalloc(size_t size)
{
	return abi_allocated(REAL(pvalloc)(size), RT_CALLER);
}

RT_EXPORT size_t malloc_usable_size(void *block)
{
	return REAL(malloc_usable_size)(block);
}
