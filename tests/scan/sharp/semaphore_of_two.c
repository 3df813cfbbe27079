#include <pthread.h>
#include <semaphore.h>
/* semaphore 2 permits as lock */
sem_t s; int x;
void *f(void*p){ sem_wait(&s); x++; sem_post(&s); return p; }
int main(){ pthread_t t,u; sem_init(&s,0,1); sem_post(&s); pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); pthread_join(t,0); pthread_join(u,0); return x; }
