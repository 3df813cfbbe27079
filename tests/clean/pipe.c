/* never: A B */
#include <unistd.h>
#include "../threads.h"
int ends[2], x, seen;
static void *f(void *p) {
	x = 1; /* @A */
	if (write(ends[1], "x", 1) != 1)
		return NULL;
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
	return seen != 1;
}
