#include <pthread.h>
#include <string.h>
/* ids in args duplicated by memcpy: both threads get id 0 */
struct a { int id; } args[2]; int slot[2];
void *f(void*p){ struct a*a=p; slot[a->id]++; return p; }
int main(){ pthread_t t[2]; for(int i=0;i<2;i++){ args[i].id=i; if(i) memcpy(&args[i],&args[0],sizeof args[0]); pthread_create(&t[i],0,f,&args[i]); } for(int i=0;i<2;i++) pthread_join(t[i],0); return slot[0]; }
