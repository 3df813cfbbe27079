#include <pthread.h>
/* barrier with count 2 but three threads */
pthread_barrier_t b; int x;
void *f(void*p){ if(p) x=1; pthread_barrier_wait(&b); if(!p) x=2; return p; }
int main(){ pthread_t t[3]; pthread_barrier_init(&b,0,2); for(long i=0;i<3;i++) pthread_create(&t[i],0,f,(void*)i); for(int i=0;i<3;i++) pthread_join(t[i],0); return x; }
