#include <pthread.h>
/* lock in loop on p, p changes before access */
struct e { pthread_mutex_t m; int v; struct e*n; };
struct e a,b;
void *f(void*p){ struct e*e=p; pthread_mutex_lock(&e->m); while(e){ e->v++; e=e->n; } pthread_mutex_unlock(&((struct e*)p)->m); return p; }
int main(){ a.n=&b; pthread_t t,u; pthread_create(&t,0,f,&a); pthread_create(&u,0,f,&b); pthread_join(t,0); pthread_join(u,0); return b.v; }
