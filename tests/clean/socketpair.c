/* never: A B */
#include <sys/socket.h>
#include <unistd.h>
#include "../threads.h"
int ends[2], x, seen;
static void *f(void *p) {
	x = 1; /* @A */
	return send(ends[1], "x", 1, 0) == 1 ? p : NULL;
}
static void *g(void *p) {
	char c;
	if (recv(ends[0], &c, 1, 0) != 1)
		return NULL;
	seen = x; /* @B */
	return p;
}
int main(void) {
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 2;
	run2(f, g);
	return seen != 1;
}
