#include <pthread.h>
/* ids copied */
int x; pthread_t t,s;
void *f(void*p){ x++; return p; }
void *g(void*p){ return p; }
int main(){ pthread_create(&t,0,f,0); pthread_create(&s,0,g,0); t=s; pthread_join(t,0); x++; return 0; }
