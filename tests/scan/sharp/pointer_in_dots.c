#include <pthread.h>
#include <stdarg.h>
int x;
static void put(int n,...){ va_list a; va_start(a,n); int*q=va_arg(a,int*); *q=1; va_end(a); }
void *f(void*p){ put(1,&x); return p; }
int main(){ pthread_t t; pthread_create(&t,0,f,0); put(1,&x); pthread_join(t,0); return 0; }
