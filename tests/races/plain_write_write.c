/* expect: A B
   expect: A C */
#include "../threads.h"
int x;
static void *f(void *p) { x = 1; /* @A */ return p; }
static void *g(void *p) {
	x = 2; /* @B */
	__asm__ volatile("" ::: "memory"); /* two stores, not one */
	x = 3; /* @C */
	return p;
}
int main(void) { run2(f, g); return 0; }
