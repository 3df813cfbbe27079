#include <pthread.h>
/* child leaves a grandchild */
int x;
void *g(void*p){ x++; return p; }
void *f(void*p){ pthread_t t; pthread_create(&t,0,g,0); return p; }
int main(){ pthread_t t; pthread_create(&t,0,f,0); pthread_join(t,0); x++; return 0; }
