/* A home-made lock in assembly, told with deadheat.h.
   never: A A */
#include <sched.h>
#include "../../include/deadheat.h"
#include "../threads.h"
int taken, x;
static void *f(void *p) {
	int old;
	do {
		sched_yield();
		old = 1;
		__asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(taken)::"memory");
	} while (old);
	deadheat_lock_acquired(&taken, 1);
	x++; /* @A */
	deadheat_lock_released(&taken, 1);
	__asm__ volatile("movl $0, %0" : "+m"(taken)::"memory");
	return p;
}
int main(void) { run2(f, f); return x != 2; }
