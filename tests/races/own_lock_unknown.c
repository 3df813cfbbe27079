/* A home-made lock nobody told deadheat about, made of plain accesses.
   expect: A A
   maybe: L L
   maybe: L U
   maybe: U U */
#include "../threads.h"
volatile int taken;
int x;
static void *f(void *p) {
	while (__sync_lock_test_and_set(&taken, 1)) /* @L */
		;
	taken = 0; /* @U */
	x++; /* @A */
	return p;
}
int main(void) { run2(f, f); return 0; }
