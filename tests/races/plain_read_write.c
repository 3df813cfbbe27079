/* expect: A B */
#include "../threads.h"
int x;
int y;
static void *f(void *p) { x = 1; /* @A */ return p; }
static void *g(void *p) {
	y = x; /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
