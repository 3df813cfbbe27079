/* expect: A A */
#include "../threads.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;
static void *f(void *p) {
	pthread_rwlock_rdlock(&l);
	x++; /* @A */
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) { run2(f, f); return 0; }
