/* expect: A B */
#include <unistd.h>
#include "../threads.h"
int ends[2], x, seen;
static void *f(void *p) {
	if (write(ends[1], "x", 1) != 1)
		return NULL;
	x = 1; /* @A */
	return p;
}
static void *g(void *p) {
	char c;
	if (read(ends[0], &c, 1) != 1)
		return NULL;
	seen = x; /* @B */
	return p;
}
int main(void) {
	if (pipe(ends))
		return 2;
	run2(f, g);
	return 0;
}
