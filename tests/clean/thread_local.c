/* never: A A */
#include "../threads.h"
static __thread int x;
static void *f(void *p) {
	x++; /* @A */
	return p;
}
int main(void) { run2(f, f); return 0; }
