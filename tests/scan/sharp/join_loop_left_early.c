#include <pthread.h>
/* join loop breaks early */
int x; pthread_t t[4];
void *f(void*p){ x++; return p; }
int main(int c,char**v){ for(int i=0;i<2;i++) pthread_create(&t[i],0,f,&t); for(int i=0;i<2;i++){ if(c>3) break; pthread_join(t[i],0);} x++; return 0; }
