/*
 * poke - changing the program's text. All functions are called under patch.c's lock.
 */
#ifndef RT_POKE_H
#define RT_POKE_H

#include "rt/rt.h"

#define POKE_MAX 6u

/* One instruction of 5 or 6 bytes, the last 4 its operand, to be replaced by one of the same length. */
struct poke {
	uintptr_t at;
	uint8_t length;
	bool done;                 /* set by poke_all: false: not safe here, or refused; unchanged */
	uint8_t bytes[POKE_MAX];
};

/* All within one segment of one module, the nearer to each other the better. */
void poke_all(struct poke *list, size_t count);
/* May the first two bytes at this address change, or only the operand, or only the first of them? */
bool poke_can_change(uintptr_t at);

#endif
