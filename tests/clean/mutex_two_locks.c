/* never: A B */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	pthread_mutex_lock(&m);
	x = 1; /* @A */
	pthread_mutex_unlock(&l);
	pthread_mutex_unlock(&m);
	return p;
}
static void *g(void *p) {
	pthread_mutex_lock(&m);
	x = 2; /* @B */
	pthread_mutex_unlock(&m);
	return p;
}
int main(void) { run2(f, g); return 0; }
