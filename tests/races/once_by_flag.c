/* B/B and C/C only show when both threads pass the check; any run may or may not.
   expect: A B
   expect: C D
   maybe: B B
   maybe: C C */
#include "../threads.h"
int done, value, seen[2];
static void *f(void *p) {
	if (!done) { /* @A */
		done = 1; /* @B */
		value = 42; /* @C */
	}
	seen[(long)p] = value; /* @D */
	return p;
}
int main(void) { run2(f, f); return 0; }
