/* expect: A B */
#include <string.h>
#include "../threads.h"
char name[32] = "nobody";
size_t length;
static void *f(void *p) {
	strcpy(name, "somebody"); /* @A */
	return p;
}
static void *g(void *p) {
	length = strlen(name); /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
