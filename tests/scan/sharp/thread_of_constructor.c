#include <pthread.h>
__attribute__((constructor)) static void early(void);
int x;
void *f(void*p){ x++; return p; }
static void early(void){ pthread_t t; pthread_create(&t,0,f,0); }
int main(){ x++; return 0; }
