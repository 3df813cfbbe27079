/*
 * alloc - what the allocator's files share.
 */
#ifndef ABI_ALLOC_H
#define ABI_ALLOC_H

#include "rt/abi/tell.h"

/* Tell of a block just made (NULL: none) and give it back, for "return allocated(...)". */
void *abi_allocated(void *block, uintptr_t pc);
/* Tell of a block about to be freed; NULL is none. */
void abi_freeing(void *block, uintptr_t pc);

/*
 * operator new[] calls operator new calls malloc, and so does delete: the block shall be told
 * once, with the program's pc. The outermost operator puts itself here; what it calls takes
 * the pc from here and marks it heard. An operator may end by an exception: then its frame is
 * above that of whoever looks, and what it left here means nothing.
 */
struct abi_inner {
	uintptr_t pc;     /* 0: not inside an operator */
	uintptr_t frame;
	bool heard;
};
extern RT_TLS struct abi_inner abi_inner;

#define ABI_INNER_DEPTH 65536 /* bytes of stack from an operator to malloc: on another stack we are not inside */

static inline bool abi_inside(void)
{
	return abi_inner.pc && abi_inner.frame - (uintptr_t)__builtin_frame_address(0) < ABI_INNER_DEPTH;
}

#endif
