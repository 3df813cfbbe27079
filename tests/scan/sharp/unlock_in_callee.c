#include <pthread.h>
/* lock released in a callee on one path only */
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; int x;
int maybe(int c){ if(c>1) pthread_mutex_unlock(&m); return c; }
void *f(void*p){ pthread_mutex_lock(&m); int r=maybe((int)(long)p); x++; if(r<=1) pthread_mutex_unlock(&m); return p; }
int main(int c,char**v){ pthread_t t,u; pthread_create(&t,0,f,(void*)(long)c); pthread_create(&u,0,f,(void*)(long)(c+1)); pthread_join(t,0); pthread_join(u,0); return x; }
