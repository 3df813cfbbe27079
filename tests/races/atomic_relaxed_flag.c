/* A race by the C11 memory model; no interleaving brings the two together, so it can be
   suspected and never confirmed.
   expect: A B
   confirm: none */
#include <stdatomic.h>
#include "../threads.h"
atomic_int flag;
int data, seen;
static void *f(void *p) {
	data = 1; /* @A */
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return p;
}
static void *g(void *p) {
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	seen = data; /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
