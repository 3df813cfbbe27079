#include <pthread.h>
#include <stdatomic.h>
/* flag set before data */
int d; atomic_int ready;
void *f(void*p){ atomic_store(&ready,1); d=1; return p; }
void *h(void*p){ while(!atomic_load(&ready)); return d?p:0; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,h,0); pthread_join(t,0); pthread_join(u,0); return 0; }
