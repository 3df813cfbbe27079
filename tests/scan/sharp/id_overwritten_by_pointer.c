#include <pthread.h>
/* id overwritten through a pointer */
int x; pthread_t t,*p;
void *f(void*q){ x++; return q; }
void *g(void*q){ return q; }
int main(int c,char**v){ pthread_t u; p=c>1?&t:&u; pthread_create(&t,0,f,0); pthread_create(p,0,g,0); pthread_join(t,0); x++; return 0; }
