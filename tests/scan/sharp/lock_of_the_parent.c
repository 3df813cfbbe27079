#include <pthread.h>
/* recursion: lock of the outer node, access of the inner */
struct n { pthread_mutex_t m; struct n*l,*r; int v; };
struct n root;
void walk(struct n*n,int locked){ if(!n) return; if(!locked) pthread_mutex_lock(&n->m); n->v++; walk(n->l,1); if(!locked) pthread_mutex_unlock(&n->m); }
void *f(void*p){ walk(p,0); return p; }
struct n child;
int main(){ root.l=&child; pthread_t t,u; pthread_create(&t,0,f,&root); pthread_create(&u,0,f,&child); pthread_join(t,0); pthread_join(u,0); return 0; }
