#include <pthread.h>
#include <stdlib.h>
/* same index lock but different array size: lock[i%2] data[i] ok; here lock[i] data[i/2] */
pthread_mutex_t l[4]; int d[4];
void *f(void*p){ long i=(long)p; pthread_mutex_lock(&l[i]); d[i/2]++; pthread_mutex_unlock(&l[i]); return p; }
int main(){ pthread_t t[4]; for(long i=0;i<4;i++) pthread_create(&t[i],0,f,(void*)i); for(int i=0;i<4;i++) pthread_join(t[i],0); return d[0]; }
