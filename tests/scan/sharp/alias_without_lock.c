#include <pthread.h>
#include <stdlib.h>
/* per-object lock, but the object's count is also changed through a global alias without lock */
struct o { pthread_mutex_t m; int n; }; struct o *all[2];
void *f(void*p){ struct o*o=all[(long)p]; pthread_mutex_lock(&o->m); o->n++; pthread_mutex_unlock(&o->m); return p; }
void *g(void*p){ all[0]->n=0; return p; }
int main(){ for(int i=0;i<2;i++){ all[i]=malloc(sizeof(struct o)); pthread_mutex_init(&all[i]->m,0); all[i]->n=0; } pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,g,0); pthread_join(t,0); pthread_join(u,0); return 0; }
