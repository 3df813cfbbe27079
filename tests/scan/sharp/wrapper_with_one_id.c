#include <pthread.h>
/* wrapper creates into one global */
int x; static pthread_t t;
void *f(void*q){ x++; return q; }
static void start(void){ pthread_create(&t,0,f,0); }
int main(){ start(); start(); pthread_join(t,0); x++; return 0; }
