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
 * operator new calls malloc, operator delete free: the block shall be told once, with the
 * program's pc. abi_inner is set around the real operator; the first malloc or free inside
 * takes it over and marks it heard.
 */
struct abi_inner {
	uintptr_t pc;   /* 0: not inside an operator */
	bool heard;
};
extern RT_TLS struct abi_inner abi_inner;

#endif
