#define _GNU_SOURCE
/* never: A B */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	pthread_mutex_lock(&l);
	pthread_mutex_unlock(&l);
	x = 1; /* @A */
	pthread_mutex_unlock(&l);
	return p;
}
static void *g(void *p) {
	pthread_mutex_lock(&l);
	x = 2; /* @B */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) { run2(f, g); return 0; }
