/* expect: A A */
#include "../threads.h"
int x[17];
static void *f(void *p) {
	for (int i = 0; i <= 8; i++)
		x[(long)p * 8 + i] = i; /* @A */
	return p;
}
int main(void) { run2(f, f); return 0; }
