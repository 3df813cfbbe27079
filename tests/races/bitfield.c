/* Two bit fields of one byte are one memory location.
   expect: A B */
#include "../threads.h"
struct { unsigned a : 4, b : 4; } s;
static void *f(void *p) { s.a = 1; /* @A */ return p; }
static void *g(void *p) { s.b = 2; /* @B */ return p; }
int main(void) { run2(f, g); return 0; }
