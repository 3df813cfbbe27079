/* expect: A B */
#include <stdatomic.h>
#include "../threads.h"
int x;
static void *f(void *p) {
	__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); /* @A */
	return p;
}
static void *g(void *p) {
	x = 5; /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
