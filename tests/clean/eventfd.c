/* never: A B */
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "../threads.h"
int event, x, seen;
static void *f(void *p) {
	uint64_t one = 1;
	x = 1; /* @A */
	return write(event, &one, 8) == 8 ? p : NULL;
}
static void *g(void *p) {
	uint64_t n;
	if (read(event, &n, 8) != 8)
		return NULL;
	seen = x; /* @B */
	return p;
}
int main(void) {
	event = eventfd(0, 0);
	run2(f, g);
	return seen != 1;
}
