/* never: A B */
#include "../threads.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y[2];
static void *f(void *p) {
	pthread_rwlock_rdlock(&l);
	y[(long)p] = x; /* @A */
	pthread_rwlock_unlock(&l);
	return p;
}
static void *g(void *p) {
	pthread_rwlock_wrlock(&l);
	x = 2; /* @B */
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) { run2(f, g); return 0; }
