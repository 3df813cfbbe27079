#include <pthread.h>
#include <stdlib.h>
/* counter of the loop runs twice: same elements again */
int a[2]; 
void *f(void*p){ long i=(long)p; a[i]++; return p; }
int main(){ for(int k=0;k<2;k++) for(long i=0;i<2;i++){ pthread_t t; pthread_create(&t,0,f,(void*)i); pthread_detach(t);} return 0; }
