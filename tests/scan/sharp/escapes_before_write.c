#include <pthread.h>
#include <stdlib.h>
/* object escapes before init */
struct o { int v; }; struct o *g; pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;
void *f(void*p){ struct o*n=malloc(sizeof *n); pthread_mutex_lock(&m); g=n; pthread_mutex_unlock(&m); n->v=1; return p; }
void *h(void*p){ pthread_mutex_lock(&m); struct o*n=g; pthread_mutex_unlock(&m); if(n) n->v=2; return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,h,0); pthread_join(t,0); pthread_join(u,0); return 0; }
