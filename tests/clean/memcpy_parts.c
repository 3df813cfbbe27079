/* never: A B */
#include <string.h>
#include "../threads.h"
char buffer[256], text[256];
static void *f(void *p) {
	memcpy(buffer, text, 128); /* @A */
	return p;
}
static void *g(void *p) {
	memset(buffer + 128, 1, 128); /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
