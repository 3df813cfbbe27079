/*
 * call - recognising the calls of the program to us.
 */
#ifndef RT_CALL_H
#define RT_CALL_H

#include "rt/internal.h"

#define CALL_MAX 6u /* bytes of the longest call we know */

/* The module in whose text the bytes before pc lie; NULL: none, or it is ours. */
const struct module *call_text(uintptr_t pc);
/* Length of the call before pc if it reaches entry, else 0. */
uint8_t call_length(uintptr_t pc, const void *entry);
/* The same by its first bytes alone; 0: none, or its module is not here. */
uint8_t call_length_known(uintptr_t pc);

#endif
