/* never: A A */
#include <stdatomic.h>
#include "../threads.h"
atomic_int x;
static void *f(void *p) {
	for (int i = 0; i < 10; i++)
		atomic_fetch_add(&x, 1); /* @A */
	return p;
}
int main(void) { run2(f, f); return x != 20; }
