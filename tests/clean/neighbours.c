/* Neighbouring bytes, and the halves of a word, are their own memory locations.
   never: A B */
#include "../threads.h"
struct { char a, b; short c; int d; } s;
static void *f(void *p) {
	s.a = 1, s.d = 1; /* @A */
	return p;
}
static void *g(void *p) {
	s.b = 2, s.c = 3; /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
