#include <pthread.h>
/* second create reuses t before join */
int x; pthread_t t;
void *f(void*p){ x++; return p; }
int main(){ for(int i=0;i<2;i++){ pthread_create(&t,0,f,0);} pthread_join(t,0); x++; return 0; }
