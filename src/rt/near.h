/*
 * near - executable memory of ours within reach of a module's 32-bit operands.
 *
 * All functions are called under patch.c's lock, except rt_near_copy (rt.h), which takes
 * one of its own. NULL where the kernel has no room or forbids new code.
 */
#ifndef RT_NEAR_H
#define RT_NEAR_H

#include "rt/rt.h"

/* The address of a word near pc's module that holds target, for FF 15 calls. */
const void *near_slot(uintptr_t pc, const void *target);

/* Room for code near pc's module, size a multiple of pages, not yet executable. NULL: there is none. */
char *near_room(uintptr_t pc, size_t size);

#endif
