#include <pthread.h>
int x; pthread_t t[4];
void *f(void*p){ x++; return p; }
int main(int c,char**v){ pthread_create(&t[0],0,f,0); for(int i=1;i<1;i++) pthread_join(t[i],0); x++; pthread_join(t[0],0); return 0; }
