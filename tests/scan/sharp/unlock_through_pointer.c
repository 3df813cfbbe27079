#include <pthread.h>
/* unlock through alias */
pthread_mutex_t a=PTHREAD_MUTEX_INITIALIZER; int x; 
void rel(pthread_mutex_t **pp){ pthread_mutex_unlock(*pp); }
void *f(void*p){ pthread_mutex_t *q=&a; pthread_mutex_lock(&a); rel(&q); x++; return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); pthread_join(t,0); pthread_join(u,0); return x; }
