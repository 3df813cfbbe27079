#include <pthread.h>
#include <stdatomic.h>
/* acquire flag, but the second writer also sets it */
int d; atomic_int r;
void *f(void*p){ d=1; atomic_store(&r,1); return p; }
void *g(void*p){ atomic_store(&r,2); return p; }
void *h(void*p){ while(!atomic_load(&r)); return d?p:0; }
int main(){ pthread_t t,u,v; pthread_create(&t,0,f,0); pthread_create(&u,0,h,0); pthread_create(&v,0,g,0); pthread_join(t,0); pthread_join(u,0); pthread_join(v,0); return 0; }
