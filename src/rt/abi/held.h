/*
 * held - locks the program announces itself (deadheat.h, tsan's mutex and rwlock notes).
 *
 * Such a lock may be re-entrant, and the engine must see the outermost lock and unlock
 * only: so each thread counts. All do nothing without a wire.
 */
#ifndef ABI_HELD_H
#define ABI_HELD_H

#include "rt/abi/tell.h"

void held_want(const void *lock, enum lock_mode mode, uintptr_t pc);
void held_acquired(const void *lock, enum lock_mode mode, uintptr_t pc);
void held_released(const void *lock, enum lock_mode mode, uintptr_t pc);
/* How often the calling thread holds it; 0 if it does not. */
int held_levels(const void *lock, enum lock_mode mode);

#endif
