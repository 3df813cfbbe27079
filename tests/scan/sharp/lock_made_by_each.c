#include <pthread.h>
/* heap lock allocated per call: not one lock */
#include <stdlib.h>
int x;
void *f(void*p){ pthread_mutex_t *m=malloc(sizeof *m); pthread_mutex_init(m,0); pthread_mutex_lock(m); x++; pthread_mutex_unlock(m); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); pthread_join(t,0); pthread_join(u,0); return x; }
