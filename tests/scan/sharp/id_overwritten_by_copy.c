#include <pthread.h>
#include <string.h>
/* id struct overwritten by a copy */
struct w { pthread_t t; int k; } a,b; int x;
void *f(void*q){ x++; return q; }
void *g(void*q){ return q; }
int main(){ pthread_create(&a.t,0,f,0); pthread_create(&b.t,0,g,0); a=b; pthread_join(a.t,0); x++; return 0; }
