/* never: A B */
#include <stdatomic.h>
#include "../threads.h"
atomic_int flag;
int data, seen;
static void *f(void *p) {
	data = 1; /* @A */
	atomic_store_explicit(&flag, 1, memory_order_release);
	return p;
}
static void *g(void *p) {
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	seen = data; /* @B */
	return p;
}
int main(void) { run2(f, g); return seen != 1; }
