/* expect: A A */
#include "../threads.h"
long counter;
static void *f(void *p) {
	counter++; /* @A */
	return p;
}
int main(void) { run2(f, f); return 0; }
