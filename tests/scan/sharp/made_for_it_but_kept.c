#include <pthread.h>
#include <stdlib.h>
/* made for the thread but kept too */
struct o { int v; }; struct o *last;
void *f(void*p){ struct o*o=p; o->v++; return p; }
int main(){ pthread_t t[2]; for(int i=0;i<2;i++){ struct o*o=malloc(sizeof *o); last=o; pthread_create(&t[i],0,f,o);} last->v=3; for(int i=0;i<2;i++) pthread_join(t[i],0); return 0; }
