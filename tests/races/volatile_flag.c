/* volatile is no synchronisation: stop is a race to see, data one that no interleaving shows.
   expect: A B
   expect: C D
   confirm: A B */
#include "../threads.h"
volatile int stop;
int data, seen;
static void *f(void *p) {
	data = 1; /* @C */
	stop = 1; /* @A */
	return p;
}
static void *g(void *p) {
	while (!stop) /* @B */
		;
	seen = data; /* @D */
	return p;
}
int main(void) { run2(f, g); return 0; }
