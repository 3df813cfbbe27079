/* never: C D */
#include "../threads.h"
static pthread_once_t once = PTHREAD_ONCE_INIT;
int value, seen[2];
static void make(void) { value = 42; /* @C */ }
static void *f(void *p) {
	pthread_once(&once, make);
	seen[(long)p] = value; /* @D */
	return p;
}
int main(void) { run2(f, f); return seen[0] != 42 || seen[1] != 42; }
