#include <pthread.h>
/* container cast: aliasing fields through other type */
struct s { int a; int b; }; struct s g; 
void *f(void*p){ g.b=1; return p; }
void *h(void*p){ int *q=(int*)&g; q[1]=2; return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,h,0); pthread_join(t,0); pthread_join(u,0); return g.b; }
