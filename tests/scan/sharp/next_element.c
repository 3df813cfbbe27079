#include <pthread.h>
/* lock in array element, access of other element via pointer arithmetic */
struct e { pthread_mutex_t m; int v; }; struct e a[4];
void *f(void*p){ struct e*e=p; pthread_mutex_lock(&e->m); (e+1)->v++; e->v++; pthread_mutex_unlock(&e->m); return p; }
int main(){ pthread_t t,u; pthread_create(&t,0,f,&a[0]); pthread_create(&u,0,f,&a[1]); pthread_join(t,0); pthread_join(u,0); return 0; }
