#include <pthread.h>
/* lock taken twice on a plain mutex path with early unlock */
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; int x;
static void helper(void){ pthread_mutex_unlock(&m); pthread_mutex_lock(&m); }
static void helper2(int k){ pthread_mutex_unlock(&m); if(k) pthread_mutex_lock(&m); }
void *f(void*p){ pthread_mutex_lock(&m); helper(); helper2(p!=0); x++; if(p) pthread_mutex_unlock(&m); return p; }
int main(int c,char**v){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,f,v); pthread_join(t,0); pthread_join(u,0); return x; }
