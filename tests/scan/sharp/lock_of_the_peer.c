#include <pthread.h>
#include <stdlib.h>
/* swapped pointers: list element lock vs data of other element */
struct e { pthread_mutex_t m; int v; struct e*peer; };
struct e a,b;
void *f(void*p){ struct e*e=p; pthread_mutex_lock(&e->m); e->peer->v++; pthread_mutex_unlock(&e->m); return p; }
int main(){ a.peer=&b; b.peer=&b; pthread_t t,u; pthread_create(&t,0,f,&a); pthread_create(&u,0,f,&b); pthread_join(t,0); pthread_join(u,0); return b.v; }
