/* never: A A */
#include "../threads.h"
static void *f(void *p) {
	volatile int i;
	for (i = 0; i < 10; i++) /* @A */
		;
	return p;
}
int main(void) { run2(f, f); return 0; }
