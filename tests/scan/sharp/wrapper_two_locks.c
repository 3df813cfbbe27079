#include <pthread.h>
/* callee locks what it is given, returns; caller passes different lock objects */
pthread_mutex_t a=PTHREAD_MUTEX_INITIALIZER,b=PTHREAD_MUTEX_INITIALIZER; int x;
static void enter(pthread_mutex_t*m){ pthread_mutex_lock(m); }
void *f(void*p){ enter(&a); x++; pthread_mutex_unlock(&a); return p; }
void *g(void*p){ enter(&b); x++; pthread_mutex_unlock(&b); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,g,0); pthread_join(t,0); pthread_join(u,0); return x; }
