#include <pthread.h>
/* thread writes neighbour element */
int s[5];
void *f(void*p){ long i=(long)p; s[i]++; s[i+1]++; return p; }
int main(){ pthread_t t[4]; for(long i=0;i<4;i++) pthread_create(&t[i],0,f,(void*)i); for(int i=0;i<4;i++) pthread_join(t[i],0); return s[0]; }
