#include <pthread.h>
/* rwlock: writes under read lock, other reads under write? both read-locked */
pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER; int x;
void *f(void*p){ pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,0); pthread_join(t,0); pthread_join(u,0); return x; }
