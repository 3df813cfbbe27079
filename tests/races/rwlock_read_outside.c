/* expect: A B */
#include "../threads.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;
static void *f(void *p) {
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_unlock(&l);
	y = x; /* @A */
	return p;
}
static void *g(void *p) {
	pthread_rwlock_wrlock(&l);
	x = 2; /* @B */
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) { run2(f, g); return 0; }
