#include <pthread.h>
/* parent's element after create in the same turn */
int a[4];
void *f(void*p){ int*q=p; *q=1; return p; }
int main(){ pthread_t t[4]; for(int i=0;i<4;i++){ pthread_create(&t[i],0,f,&a[i]); a[i]=2; } for(int i=0;i<4;i++) pthread_join(t[i],0); return a[0]; }
