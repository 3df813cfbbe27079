#include <pthread.h>
#include <stdatomic.h>
/* spin lock cleared by a stranger */
atomic_flag l=ATOMIC_FLAG_INIT; int x;
void *f(void*p){ while(atomic_flag_test_and_set(&l)); x++; atomic_flag_clear(&l); return p; }
void *g(void*p){ atomic_flag_clear(&l); while(atomic_flag_test_and_set(&l)); x++; atomic_flag_clear(&l); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,g,0); pthread_join(t,0); pthread_join(u,0); return x; }
