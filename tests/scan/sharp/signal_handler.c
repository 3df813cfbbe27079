#include <pthread.h>
#include <signal.h>
int x; void h(int s){ x++; }
int main(){ signal(SIGINT,h); x=5; return 0; }
