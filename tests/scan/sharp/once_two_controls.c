#include <pthread.h>
/* once control per call */
int x; void init(void){ x=1; }
void *f(void*p){ static pthread_once_t o=PTHREAD_ONCE_INIT; pthread_once(&o,init); return p; }
void *g(void*p){ static pthread_once_t o=PTHREAD_ONCE_INIT; pthread_once(&o,init); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,0); pthread_create(&u,0,g,0); pthread_join(t,0); pthread_join(u,0); return x; }
