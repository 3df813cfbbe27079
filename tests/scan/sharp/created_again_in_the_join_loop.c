#include <pthread.h>
/* join then create again in the same loop */
int x; pthread_t t[3];
void *f(void*p){ x++; return p; }
void *g(void*p){ return p; }
int main(){ for(int i=0;i<3;i++) pthread_create(&t[i],0,g,0); for(int i=0;i<3;i++){ pthread_join(t[i],0); pthread_create(&t[i],0,f,0);} x++; return 0; }
