/* The last one to let go frees: acq_rel makes every use happen before the free.
   never: A B */
#include <stdatomic.h>
#include <stdlib.h>
#include "../threads.h"
struct thing { atomic_int references; int value[2]; } *thing;
static void *f(void *p) {
	thing->value[(long)p] = 1; /* @A */
	if (atomic_fetch_sub_explicit(&thing->references, 1, memory_order_acq_rel) == 1)
		free(thing); /* @B */
	return p;
}
int main(void) {
	thing = calloc(1, sizeof(*thing));
	thing->references = 2;
	run2(f, f);
	return 0;
}
