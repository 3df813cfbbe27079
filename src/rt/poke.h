/*
 * poke - changing the program's text. All functions are called under patch.c's lock.
 */
#ifndef RT_POKE_H
#define RT_POKE_H

#include "rt/rt.h"

/*
 * Replace the instruction of length bytes (5 or 6, the last 4 its operand) at `at` by another
 * of the same length. False and unchanged if that is not safe here or the kernel refuses.
 */
bool poke(uintptr_t at, const uint8_t *bytes, size_t length);
/* May the first two bytes change, or only the operand? */
bool poke_can_change(uintptr_t at);

#endif
