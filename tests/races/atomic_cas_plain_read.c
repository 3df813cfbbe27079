/* expect: A B */
#include <stdatomic.h>
#include "../threads.h"
_Atomic int word;
int seen;
static void *f(void *p) {
	int none = 0;
	atomic_compare_exchange_strong(&word, &none, 1); /* @A */
	return p;
}
static void *g(void *p) {
	seen = *(int *)&word; /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
