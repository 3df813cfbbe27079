#include <pthread.h>
/* number cut to a byte */
int s[256];
void *f(void*p){ unsigned char i=(unsigned char)(long)p; s[i]++; return p; }
int main(){ pthread_t t[300]; for(long i=0;i<300;i++) pthread_create(&t[i],0,f,(void*)i); for(int i=0;i<300;i++) pthread_join(t[i],0); return s[0]; }
