/* A byte inside a word another thread writes.
   expect: A B */
#include "../threads.h"
union { int word; char bytes[4]; } u;
static void *f(void *p) { u.word = 1; /* @A */ return p; }
static void *g(void *p) { u.bytes[2] = 2; /* @B */ return p; }
int main(void) { run2(f, g); return 0; }
