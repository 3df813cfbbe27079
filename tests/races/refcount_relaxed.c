/* The same with relaxed order: the free is not ordered after the other's last use. Only the
   memory model sees it; under any interleaving the free comes last.
   expect: A B
   maybe: C B
   confirm: none */
#include <stdatomic.h>
#include <stdlib.h>
#include "../threads.h"
struct thing { atomic_int references; int value[2]; } *thing;
static void *f(void *p) {
	thing->value[(long)p] = 1; /* @A */
	if (atomic_fetch_sub_explicit(&thing->references, 1, memory_order_relaxed) == 1) /* @C */
		free(thing); /* @B */
	return p;
}
int main(void) {
	thing = calloc(1, sizeof(*thing));
	thing->references = 2;
	run2(f, f);
	return 0;
}
