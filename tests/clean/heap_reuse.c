/* The allocator hands one thread's freed block to the other: two variables, one address.
   never: A A */
#include <stdlib.h>
#include "../threads.h"
static void *f(void *p) {
	for (int i = 0; i < 50; i++) {
		int *block = malloc(64);
		block[3] = i; /* @A */
		__asm__ volatile("" : : "r"(block) : "memory"); /* an optimiser drops a store nobody reads */
		free(block);
	}
	return p;
}
int main(void) { run2(f, f); return 0; }
