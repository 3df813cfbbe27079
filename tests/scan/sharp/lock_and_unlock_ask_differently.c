#include <pthread.h>
/* conditional lock, different question */
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; int x;
static void add(int lockit,int other){ if(lockit) pthread_mutex_lock(&m); x++; if(other) pthread_mutex_unlock(&m); }
void *f(void*p){ add(1,1); return p; }
void *g(void*p){ add(0,0); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,g,0); pthread_join(t,0); pthread_join(u,0); return x; }
