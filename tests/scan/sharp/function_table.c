#include <pthread.h>
#include <stdlib.h>
/* function pointer table, one writes */
int x; void wr(void){x=1;} void rd(void){ if(x) abort(); }
void (*tab[2])(void)={wr,rd};
void *f(void*p){ tab[(long)p](); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,(void*)0); pthread_create(&u,0,f,(void*)1); pthread_join(t,0); pthread_join(u,0); return 0; }
