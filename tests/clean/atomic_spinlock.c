/* never: A A */
#include <stdatomic.h>
#include "../threads.h"
static atomic_flag lock = ATOMIC_FLAG_INIT;
int x;
static void *f(void *p) {
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
	x++; /* @A */
	atomic_flag_clear_explicit(&lock, memory_order_release);
	return p;
}
int main(void) { run2(f, f); return x != 2; }
