/* never: A B
 * A compare and exchange that fails only reads: the owner may read the word plainly. */
#include <sched.h>
#include <stdatomic.h>
#include "../threads.h"
_Atomic int word;
long counter, wrong;
static void *f(void *p) {
	for (int i = 0; i < 50; i++) {
		int none = 0;
		while (!atomic_compare_exchange_strong(&word, &none, 1)) { /* @A */
			none = 0;
			sched_yield();
		}
		if (*(int *)&word != 1) /* @B */
			wrong++;
		counter++;
		atomic_store(&word, 0);
	}
	return p;
}
int main(void) { run2(f, f); return wrong != 0; }
