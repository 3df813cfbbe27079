/* expect: A B */
#include <string.h>
#include "../threads.h"
char buffer[256], text[256], other[256];
static void *f(void *p) {
	memcpy(buffer, text, sizeof(buffer)); /* @A */
	return p;
}
static void *g(void *p) {
	other[7] = buffer[200]; /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
