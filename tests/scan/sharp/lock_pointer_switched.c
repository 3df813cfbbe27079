#include <pthread.h>
#include <stdlib.h>
/* lock pointer switched in parallel */
pthread_mutex_t a=PTHREAD_MUTEX_INITIALIZER,b=PTHREAD_MUTEX_INITIALIZER; pthread_mutex_t *l=&a; int x;
void *f(void*p){ pthread_mutex_lock(l); x++; pthread_mutex_unlock(l); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); l=&b; pthread_create(&u,0,f,0); pthread_join(t,0); pthread_join(u,0); return x; }
