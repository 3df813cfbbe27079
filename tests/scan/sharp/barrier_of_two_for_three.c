#include <pthread.h>
/* two barrier users in sequence */
pthread_barrier_t b; int x;
void *f(void*p){ x=1; pthread_barrier_wait(&b); return p; }
void *g(void*p){ pthread_barrier_wait(&b); pthread_barrier_wait(&b); x=2; return p; }
int main(){ pthread_t t,u,v; pthread_barrier_init(&b,0,2); pthread_create(&u,0,g,0); pthread_create(&t,0,f,0); pthread_create(&v,0,f,0); pthread_join(t,0); pthread_join(u,0); pthread_join(v,0); return x; }
