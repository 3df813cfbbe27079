/* never: A A */
#include "../threads.h"
int table[4] = { 1, 2, 3, 4 };
int sums[2];
static void *f(void *p) {
	for (int i = 0; i < 4; i++)
		sums[(long)p] += table[i]; /* @A */
	return p;
}
int main(void) { run2(f, f); return sums[0] != sums[1]; }
