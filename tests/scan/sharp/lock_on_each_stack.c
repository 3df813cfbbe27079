#include <pthread.h>
/* stack lock of each thread */
int x;
void *f(void*p){ pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }
int main(){ pthread_t t[2]; for(int i=0;i<2;i++) pthread_create(&t[i],0,f,0); for(int i=0;i<2;i++) pthread_join(t[i],0); return x; }
