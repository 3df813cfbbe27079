#include <pthread.h>
#include <stdint.h>
/* pointer through integers in memory */
uintptr_t box; int x;
void *f(void*p){ int*q=(int*)box; *q=1; return p; }
int main(){ box=(uintptr_t)&x; pthread_t t; pthread_create(&t,0,f,0); x=2; pthread_join(t,0); return 0; }
